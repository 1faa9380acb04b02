/// A client's request.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace brick {

/// A header field, or a parameter of a route: a name and its value. A field's name has the client's
/// spelling; white space around its value is removed.
struct Field {
    std::string_view name;
    std::string_view value;
};

/// A request that has been checked: its head is well formed, its framing is unambiguous, and it has
/// exactly one Host if its version requires it.
///
/// All of it is in buffers of the connection and is valid only until the handler returns: values
/// that have to live longer must be copied. Nothing is decoded.
struct Request {
    std::string_view method;        ///< As sent; HEAD where a GET route answers HEAD.
    std::string_view target;        ///< As sent: `/a?b`, `http://host/a?b` or `*`.
    std::string_view path;          ///< The target's path, `/` at least, or `*`.
    std::string_view query;         ///< What follows the first `?`, without it.
    std::uint8_t minor = 1;         ///< Of the version: 1 for HTTP/1.1, 0 for HTTP/1.0.
    std::span<const Field> fields;  ///< In the order in which they came.
    std::span<const Field> params;  ///< What the route's `{name}`s matched.
    std::string_view body;          ///< Whole, without its framing; empty in front of a `Sink`.

    /// The value of the first field of this name, regardless of the case of its letters.
    [[nodiscard]] std::optional<std::string_view> field(std::string_view name) const noexcept;

    /// The value that `{name}` matched; empty if the route has no such parameter.
    [[nodiscard]] std::string_view param(std::string_view name) const noexcept;
};

/// `text` with each %XX turned into its byte; nothing where a % has no two digits after it.
[[nodiscard]] std::optional<std::string> percent_decoded(std::string_view text);

}  // namespace brick
