#include <brick/response.hpp>

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "http/head.hpp"

namespace brick {
namespace {

/// Framing and the connection belong to the server: a second value for them would split responses.
constexpr std::array<std::string_view, 7> kServersOwn = {
    "connection", "content-length", "date", "keep-alive", "trailer", "transfer-encoding", "upgrade",
};

bool is_servers_own(std::string_view name) noexcept {
    return std::any_of(kServersOwn.begin(), kServersOwn.end(),
                       [name](std::string_view own) { return http::same_letters(own, name); });
}

}  // namespace

Response::Response(int status, std::string_view type, std::string body)
    : status_(status), body_(std::move(body)) {
    if (status < 200 || status > 599) {
        throw std::invalid_argument("response status " + std::to_string(status) +
                                    ": a final status is 200 to 599");
    }
    if (!type.empty()) {
        field("Content-Type", type);
    }
}

Response& Response::field(std::string_view name, std::string_view value) {
    const auto refusal = [name](const char* why) {
        return std::invalid_argument("response field \"" + std::string(name) + "\": " + why);
    };
    if (!http::is_token(name)) {
        throw refusal("a name is a token, such as Cache-Control");
    }
    if (is_servers_own(name)) {
        throw refusal("the server writes this field itself; leave it out");
    }
    if (!http::is_field_value(value)) {
        throw refusal("a value has no control characters but tabs, so neither CR nor LF");
    }
    fields_.append(name).append(": ").append(value).append("\r\n");
    return *this;
}

Response& Response::body(std::string whole) {
    body_ = std::move(whole);
    source_ = nullptr;
    length_.reset();
    return *this;
}

Response& Response::stream(Source source, std::optional<std::uint64_t> length_bytes) {
    if (!source) {
        throw std::invalid_argument("response stream: the source is an empty function");
    }
    body_.clear();
    source_ = std::move(source);
    length_ = length_bytes;
    return *this;
}

Response& Response::close() {
    closes_ = true;
    return *this;
}

Response& Response::pace(Pace pace) {
    pace_ = pace;
    return *this;
}

Source Response::take_source() noexcept { return std::exchange(source_, nullptr); }

}  // namespace brick
