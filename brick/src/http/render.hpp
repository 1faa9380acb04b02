/// From a response to the bytes of its head (RFC 9112 sections 4 to 6, RFC 9110, 6.6.1).
#pragma once

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

#include <brick/response.hpp>

namespace brick::http {

/// "Sun, 06 Nov 1994 08:49:37 GMT": an IMF-fixdate (RFC 9110, 5.6.7), rendered when the second changes.
class Date {
public:
    static constexpr std::size_t kBytes = 29;
    void set(std::time_t now) noexcept;
    [[nodiscard]] std::string_view text() const noexcept { return {text_, kBytes}; }

private:
    std::time_t now_ = -1;
    char text_[kBytes + 1] = {};
};

/// What an answer says of its connection: nothing (HTTP/1.1, stays open), keep-alive (HTTP/1.0,
/// stays open) or close.
enum class Connection : std::uint8_t { silent, keep_alive, close };

/// How the bytes behind the head are framed.
struct Body {
    enum class Framing : std::uint8_t { none, length, chunked, until_close };
    Framing framing;
    std::uint64_t length = 0;
};

/// The reason phrase that RFC 9110 gives a status; empty for one that it doesn't know.
[[nodiscard]] std::string_view reason(int status) noexcept;

/// The bytes that `render_head` needs at most.
[[nodiscard]] std::size_t head_bytes_at_most(const Response& response) noexcept;

/// Writes the head to `out` and returns its end. Nothing but the status line, Date, the response's
/// fields, the framing and Connection, in this order.
[[nodiscard]] char* render_head(char* out, const Response& response, Body body,
                                Connection connection, const Date& date) noexcept;

/// A fixed answer: whole, as it is sent for each kind of connection, with a hole for the Date.
class Rendered {
public:
    explicit Rendered(const Fixed& fixed);

    [[nodiscard]] std::size_t bytes(Connection connection, bool with_body) const noexcept;

    /// Copies the answer to `out`, sets its Date and returns its end.
    [[nodiscard]] char* write(char* out, Connection connection, bool with_body,
                              const Date& date) const noexcept;

    [[nodiscard]] const Response& response() const noexcept { return response_; }

private:
    Response response_;
    // One text a kind of connection.
};

}  // namespace brick::http
