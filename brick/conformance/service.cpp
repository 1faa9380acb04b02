#include "service.hpp"

#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

namespace brick::conformance {
namespace {

constexpr std::size_t kBigBytes = 1024 * 1024;

/// Counts a body's bytes, and answers with their number.
class Counter final : public Sink {
public:
    Counter(const Request& request, Log* log)
        : log_(log), method_(request.method), target_(request.target) {}

    bool receive(std::string_view bytes) override {
        bytes_ += bytes.size();
        return true;
    }

    Response finish() override {
        if (log_ != nullptr) log_->add(method_, target_, bytes_);
        return Response(200, "text/plain", std::to_string(bytes_));
    }

private:
    Log* log_;
    std::string method_;
    std::string target_;
    std::size_t bytes_ = 0;
};

Response stream(const Request&) {
    std::vector<std::string> pieces{"one ", "two ", "three"};
    return Response(200, "text/plain")
        .stream([pieces = std::move(pieces), next = std::size_t{0}](std::string& out) mutable {
            out += pieces[next++];
            return next < pieces.size();
        });
}

/// The answer as a handler that logs; unchanged if there is no log.
Answer logged(Answer answer, Log* log) {
    if (log == nullptr || std::holds_alternative<Opener>(answer)) return answer;
    return Handler([answer = std::move(answer), log](const Request& request) {
        log->add(request.method, request.target, request.body.size());
        if (const auto* fixed = std::get_if<Fixed>(&answer)) return fixed->response();
        return std::get<Handler>(answer)(request);
    });
}

}  // namespace

Log::Log(const std::string& path) : file_(path, std::ios::app) {
    if (!file_) throw std::invalid_argument("--log: " + path + " can't be written");
}

void Log::add(std::string_view method, std::string_view target, std::size_t body_bytes) {
    const std::lock_guard lock(mutex_);
    file_ << method << ' ' << target << ' ' << body_bytes << std::endl;  // Read while we run.
}

void serve(Server& server, Log* log) {
    const auto text = [](std::string body) { return Fixed(200, "text/plain", std::move(body)); };
    const auto echo = [](const Request& request) {
        return Response(200, "text/plain", std::string(request.body));
    };
    const auto name = [](const Request& request) {
        return Response(200, "text/plain", std::string(request.param("name")));
    };
    server.get("/", logged(text("Hello, World!"), log));
    server.get("/empty", logged(text(""), log));
    server.get("/big", logged(text(std::string(kBigBytes, 'x')), log));
    server.get("/no-content", logged(Fixed(204, "", ""), log));
    server.get("/not-modified", logged(Fixed(304, "", ""), log));
    server.get("/stream", logged(stream, log));
    server.get("/hello/{name}", logged(name, log));
    server.post("/echo", logged(echo, log));
    server.post("/upload",
                [log](const Request& request) { return std::make_unique<Counter>(request, log); });
    if (log != nullptr) {
        const auto nowhere = logged(Fixed(404, "text/plain", "Not Found"), log);
        server.get("/{path...}", nowhere).post("/{path...}", nowhere);
    }
}

}  // namespace brick::conformance
