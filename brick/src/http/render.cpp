#include "http/render.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <stdexcept>

namespace brick::http {
namespace {

using namespace std::string_view_literals;

constexpr int kFirstStatus = 200;  // No response has a lower one.
constexpr int kLastStatus = 599;

constexpr std::array kStatuses = {
    "200 OK"sv,
    "201 Created"sv,
    "202 Accepted"sv,
    "203 Non-Authoritative Information"sv,
    "204 No Content"sv,
    "205 Reset Content"sv,
    "206 Partial Content"sv,
    "300 Multiple Choices"sv,
    "301 Moved Permanently"sv,
    "302 Found"sv,
    "303 See Other"sv,
    "304 Not Modified"sv,
    "305 Use Proxy"sv,
    "307 Temporary Redirect"sv,
    "308 Permanent Redirect"sv,
    "400 Bad Request"sv,
    "401 Unauthorized"sv,
    "402 Payment Required"sv,
    "403 Forbidden"sv,
    "404 Not Found"sv,
    "405 Method Not Allowed"sv,
    "406 Not Acceptable"sv,
    "407 Proxy Authentication Required"sv,
    "408 Request Timeout"sv,
    "409 Conflict"sv,
    "410 Gone"sv,
    "411 Length Required"sv,
    "412 Precondition Failed"sv,
    "413 Content Too Large"sv,
    "414 URI Too Long"sv,
    "415 Unsupported Media Type"sv,
    "416 Range Not Satisfiable"sv,
    "417 Expectation Failed"sv,
    "421 Misdirected Request"sv,
    "422 Unprocessable Content"sv,
    "426 Upgrade Required"sv,
    "428 Precondition Required"sv,
    "429 Too Many Requests"sv,
    "431 Request Header Fields Too Large"sv,
    "500 Internal Server Error"sv,
    "501 Not Implemented"sv,
    "502 Bad Gateway"sv,
    "503 Service Unavailable"sv,
    "504 Gateway Timeout"sv,
    "505 HTTP Version Not Supported"sv,
    "511 Network Authentication Required"sv,
};

constexpr std::size_t kLongestStatus =
    std::max_element(kStatuses.begin(), kStatuses.end(),
                     [](auto one, auto other) { return one.size() < other.size(); }) -> size();

/// The statuses at their own index, counted from the first; empty if there is none.
constexpr auto kByStatus = [] {
    std::array<std::string_view, kLastStatus - kFirstStatus + 1> table;
    for (const std::string_view text : kStatuses) {
        const int status = (text[0] - '0') * 100 + (text[1] - '0') * 10 + (text[2] - '0');
        table[static_cast<std::size_t>(status - kFirstStatus)] = text;
    }
    return table;
}();

constexpr std::string_view kVersion = "HTTP/1.1 ";
constexpr std::string_view kDate = "\r\nDate: ";
constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kLength = "Content-Length: ";
constexpr std::string_view kChunked = "Transfer-Encoding: chunked\r\n";
constexpr std::string_view kKeepAlive = "Connection: keep-alive\r\n";
constexpr std::string_view kClose = "Connection: close\r\n";
constexpr std::size_t kMostDigits = std::numeric_limits<std::uint64_t>::digits10 + 1;

constexpr std::size_t kFixedBytes =
    kVersion.size() + kLongestStatus + kDate.size() + Date::kBytes + kLineEnd.size() +
    std::max(kLength.size() + kMostDigits + kLineEnd.size(), kChunked.size()) +
    std::max(kKeepAlive.size(), kClose.size()) + kLineEnd.size();

char* put(char* out, std::string_view text) noexcept {
    std::memcpy(out, text.data(), text.size());
    return out + text.size();
}

char* put_number(char* out, std::uint64_t number) noexcept {
    return std::to_chars(out, out + kMostDigits, number).ptr;
}

std::string_view known_status(int status) noexcept {
    return status >= kFirstStatus && status <= kLastStatus
               ? kByStatus[static_cast<std::size_t>(status - kFirstStatus)]
               : std::string_view{};
}

char* put_status(char* out, int status) noexcept {
    if (const std::string_view known = known_status(status); !known.empty()) {
        return put(out, known);
    }
    return put(put_number(out, static_cast<std::uint64_t>(status)), " ");
}

char* put_framing(char* out, Body body) noexcept {
    switch (body.framing) {
        case Body::Framing::length:
            return put(put_number(put(out, kLength), body.length), kLineEnd);
        case Body::Framing::chunked:
            return put(out, kChunked);
        case Body::Framing::none:
        case Body::Framing::until_close:
            break;
    }
    return out;
}

char* put_connection(char* out, Connection connection) noexcept {
    switch (connection) {
        case Connection::keep_alive:
            return put(out, kKeepAlive);
        case Connection::close:
            return put(out, kClose);
        case Connection::silent:
            break;
    }
    return out;
}

}  // namespace

bool has_content(int status) noexcept { return status != 204 && status != 205 && status != 304; }

Body body_of(const Response& response, std::uint8_t minor) noexcept {
    using Framing = Body::Framing;
    const std::uint64_t length = response.length_bytes().value_or(response.body().size());
    const bool known = response.length_bytes().has_value() || !response.streams();
    switch (response.status()) {
        case 204:
            return {};
        case 205:
            return {Framing::length, 0};
        case 304:
            return known && length > 0 ? Body{Framing::length, length} : Body{};
        default:
            break;
    }
    if (known) {
        return {Framing::length, length};
    }
    return {minor == 0 ? Framing::until_close : Framing::chunked, 0};
}

std::string_view reason(int status) noexcept {
    const std::string_view known = known_status(status);
    return known.empty() ? known : known.substr(4);
}

std::size_t head_bytes_at_most(const Response& response) noexcept {
    return kFixedBytes + response.fields().size();
}

char* render_head(char* out, const Response& response, Body body, Connection connection,
                  const Date& date) noexcept {
    out = put_status(put(out, kVersion), response.status());
    out = put(put(put(out, kDate), date.text()), kLineEnd);
    out = put(out, response.fields());
    out = put_framing(out, body);
    return put(put_connection(out, connection), kLineEnd);
}

Rendered::Rendered(const Fixed& fixed, std::size_t number)
    : number_(number), closes_(fixed.response().closes()) {
    const Response& response = fixed.response();
    if (response.streams()) {
        throw std::invalid_argument(
            "a fixed answer is rendered once, so it can't stream; use a "
            "handler");
    }
    if (const Pace& pace = response.pace();
        pace.hold.count() != 0 || pace.gap.count() != 0 || pace.piece_bytes != 0) {
        throw std::invalid_argument(
            "a fixed answer leaves at once, so it has no pace; use a "
            "handler");
    }
    const Body body = body_of(response, 1);
    for (std::size_t kind = 0; kind < texts_.size(); ++kind) {
        Text& text = texts_[kind];
        text.whole.resize(head_bytes_at_most(response));
        char* const begin = text.whole.data();
        const char* const end =
            render_head(begin, response, body, static_cast<Connection>(kind), Date{});
        text.head_bytes = static_cast<std::size_t>(end - begin);
        text.whole.resize(text.head_bytes);
        if (has_content(response.status())) {
            text.whole += response.body();
        }
        text.whole.shrink_to_fit();
        date_at_ = text.whole.find(kDate) + kDate.size();
    }
}

char* Rendered::write(char* out, Connection connection, bool with_body,
                      const Date& date) const noexcept {
    const std::size_t count = bytes(connection, with_body);
    std::copy_n(texts_[static_cast<std::size_t>(connection)].whole.data(), count, out);
    set_date(out, date);
    return out + count;
}

void Rendered::set_date(char* written, const Date& date) const noexcept {
    put(written + date_at_, date.text());
}

}  // namespace brick::http
