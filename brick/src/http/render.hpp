/// Renders a response to the bytes of its head (RFC 9112 sections 4 to 6, RFC 9110, 6.6.1).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <brick/response.hpp>

#include "http/date.hpp"

namespace brick::http {

/// The Connection of an answer: none (HTTP/1.1, stays open), keep-alive (HTTP/1.0, stays open) or
/// close.
enum class Connection : std::uint8_t { silent, keep_alive, close };

/// The framing of the bytes after the head.
struct Body {
    enum class Framing : std::uint8_t { none, length, chunked, until_close };
    Framing framing = Framing::none;
    std::uint64_t length = 0;
};

/// Whether a response of this status may have bytes after its head: not 204, 205 or 304. (HEAD is
/// different: it has the head that GET would have.)
[[nodiscard]] bool has_content(int status) noexcept;

/// The framing that a response announces to a client of HTTP/1.`minor`, before its source is taken.
///
/// 204 has none (RFC 9110, 8.6), 205 a length of 0 (15.3.6). A 304 announces the length of its
/// given body, but none without a body: a length would have to be that of the 200.
[[nodiscard]] Body body_of(const Response& response, std::uint8_t minor) noexcept;

/// The reason phrase of a status in RFC 9110 or RFC 6585; empty if they do not define it.
[[nodiscard]] std::string_view reason(int status) noexcept;

/// The most bytes that `render_head` needs.
[[nodiscard]] std::size_t head_bytes_at_most(const Response& response) noexcept;

/// Writes the head to `out` and returns its end. It has exactly the status line, Date, the
/// response's fields, the framing and Connection, in this order.
[[nodiscard]] char* render_head(char* out, const Response& response, Body body,
                                Connection connection, const Date& date) noexcept;

/// A fixed answer: complete, in the form for each kind of connection, with a gap for the Date.
class Rendered {
public:
    /// `number` is its number among those of a server, counted from 0. Throws std::invalid_argument
    /// if the answer streams or has a Pace.
    explicit Rendered(const Fixed& fixed, std::size_t number = 0);

    [[nodiscard]] std::size_t number() const noexcept { return number_; }

    [[nodiscard]] std::size_t bytes(Connection connection, bool with_body) const noexcept {
        const Text& text = texts_[static_cast<std::size_t>(connection)];
        return with_body ? text.whole.size() : text.head_bytes;
    }

    /// Copies the answer to `out`, sets its Date and returns its end.
    [[nodiscard]] char* write(char* out, Connection connection, bool with_body,
                              const Date& date) const noexcept;

    /// Replaces the Date in a copy that `write` has made.
    void set_date(char* written, const Date& date) const noexcept;

    /// Whether it closes the connection, which the caller of `write` has to do.
    [[nodiscard]] bool closes() const noexcept { return closes_; }

private:
    struct Text {
        std::string whole;
        std::size_t head_bytes = 0;
    };

    std::array<Text, 3> texts_;  // One for each Connection.
    std::size_t number_;
    std::size_t date_at_ = 0;  // The same in all three.
    bool closes_;
};

}  // namespace brick::http
