/// A server's answers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace brick {

/// How a body continues after a piece: it ends, or goes on as soon as the client has room, or after
/// a wait.
struct Next {
    Next(bool more) noexcept : has_more(more) {}  // NOLINT: a source returns what it means.
    template <class Count, class Unit>
    Next(std::chrono::duration<Count, Unit> time) noexcept
        : has_more(true), wait(time) {}  // NOLINT

    bool has_more;
    std::chrono::nanoseconds wait{0};
};

/// Gives a body piece by piece: appends the next piece to `out` and returns how it continues; a
/// piece without bytes and without a wait is the end, too. It is called on the connection's own
/// thread, never twice at once. An exception cuts the connection off, so that no client takes half
/// a body for a whole one. While a source waits, its piece leaves, and others are served; a client
/// that ends its side meanwhile counts as gone.
using Source = std::function<Next(std::string& out)>;

/// When an answer's bytes leave: for yardsticks and tests that need a server of known behaviour.
/// Other connections are served meanwhile; this one's next request waits. A streamed body is
/// gathered first, and its source never waits.
struct Pace {
    std::chrono::nanoseconds hold{0};  ///< Nothing leaves earlier than so long after the handler.
    std::size_t piece_bytes = 0;  ///< Head and body leave in pieces of so many bytes; 0: at once.
    std::chrono::nanoseconds gap{0};  ///< Between two pieces.

    [[nodiscard]] bool is_set() const noexcept { return hold.count() > 0 || piece_bytes > 0; }
};

/// An answer: a status, header fields and a body. Content-Length or Transfer-Encoding, Connection
/// and Date are the server's to write; a body is left out where HTTP has none (HEAD, 204, 304).
class Response {
public:
    /// `status` is 200 to 599, else std::invalid_argument is thrown; `type` is the Content-Type,
    /// none if empty.
    explicit Response(int status = 200, std::string_view type = {}, std::string body = {});

    /// Adds a header field. Throws std::invalid_argument if the name is not a token, the value has
    /// a control character, or the server writes the field itself.
    Response& field(std::string_view name, std::string_view value);

    /// Replaces the body.
    Response& body(std::string whole);

    /// Takes the body from `source`: chunked, or until the connection closes in HTTP/1.0. With
    /// `length_bytes` it has a Content-Length instead; a source that gives another number of bytes
    /// cuts the connection off.
    Response& stream(Source source, std::optional<std::uint64_t> length_bytes = std::nullopt);

    /// Closes the connection after this answer.
    Response& close();

    Response& pace(Pace pace);

    [[nodiscard]] int status() const noexcept { return status_; }
    [[nodiscard]] const std::string& fields() const noexcept { return fields_; }
    [[nodiscard]] const std::string& body() const noexcept { return body_; }
    [[nodiscard]] bool closes() const noexcept { return closes_; }
    [[nodiscard]] const Pace& pace() const noexcept { return pace_; }
    [[nodiscard]] bool streams() const noexcept { return static_cast<bool>(source_); }
    [[nodiscard]] std::optional<std::uint64_t> length_bytes() const noexcept { return length_; }

    /// Moves the source out; the response has none any more.
    [[nodiscard]] Source take_source() noexcept;

private:
    int status_;
    bool closes_ = false;
    std::string fields_;  // As they are sent, each with its CRLF.
    std::string body_;
    Source source_;
    std::optional<std::uint64_t> length_;
    Pace pace_;
};

/// An answer that is the same each time: it is rendered once, and only its Date changes.
class Fixed {
public:
    /// The arguments are those of Response.
    Fixed(int status, std::string_view type, std::string body)
        : response_(status, type, std::move(body)) {}
    explicit Fixed(Response response) : response_(std::move(response)) {}

    [[nodiscard]] const Response& response() const noexcept { return response_; }

private:
    Response response_;
};

/// Takes a request's body piece by piece. A sink belongs to one request, lives on its connection's
/// thread, and is destroyed after `finish` or when the connection is lost.
class Sink {
public:
    Sink() = default;
    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;
    virtual ~Sink() = default;

    /// Takes the next bytes; `false` refuses the rest: `finish` is called for the answer at once,
    /// and the connection closes after it.
    virtual bool receive(std::string_view bytes) = 0;

    /// The whole body was received (or the sink refused the rest): returns the answer.
    virtual Response finish() = 0;
};

}  // namespace brick
