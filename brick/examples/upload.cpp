/// Parameters, a body that is taken piece by piece, and one that is given as the client takes it:
///
///     curl --data-binary @some-file http://127.0.0.1:8080/uploads/holiday
///     curl http://127.0.0.1:8080/countdown/10
#include <charconv>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <brick/brick.hpp>

namespace {

/// Counts the bytes of a body of any size, and stores none of them.
class Count final : public brick::Sink {
public:
    explicit Count(std::string_view name) : name_(name) {}  // The copy outlives the request.

    bool receive(std::string_view bytes) override {
        bytes_ += bytes.size();
        return true;
    }

    brick::Response finish() override {
        return brick::Response(201, "text/plain",
                               name_ + ": " + std::to_string(bytes_) + " bytes\n");
    }

private:
    std::string name_;
    std::uint64_t bytes_ = 0;
};

std::unique_ptr<brick::Sink> upload(const brick::Request& request) {
    return std::make_unique<Count>(request.param("name"));
}

/// One line for each number: each is made when the client has room for it.
brick::Response countdown(const brick::Request& request) {
    const std::string_view digits = request.param("from");
    std::uint32_t next = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), next);
    if (error != std::errc{} || end != digits.end()) {
        return brick::Response(400, "text/plain", "/countdown/ takes a number, like 10\n");
    }
    brick::Response response(200, "text/plain");
    response.stream([next](std::string& out) mutable {
        out += std::to_string(next) + '\n';
        return next-- > 0;
    });
    return response;
}

}  // namespace

int main() {
    brick::Options options;
    options.limits.streamed_bytes = std::uint64_t{10} << 30;  // 10 GiB for an upload.
    brick::Server server(options);
    server.post("/uploads/{name}", upload);
    server.get("/countdown/{from}", countdown);
    server.run_until_signal();
}
