/// A route's pattern: a path whose segments are literal, `{name}` or, the last, `{name...}`.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace brick::http {

/// The segments of a path that begins with `/`: "/" has one, which is empty; "/a/" has "a" and "".
class Segments {
public:
    explicit Segments(std::string_view path) noexcept : left_(path) {}

    [[nodiscard]] bool done() const noexcept { return left_.empty(); }
    [[nodiscard]] std::string_view next() noexcept;

private:
    std::string_view left_;  // It begins with the slash of the next segment.
};

/// Whether the segment is a name, of either kind.
[[nodiscard]] bool is_name(std::string_view segment) noexcept;

/// Whether the segment is `{name...}`.
[[nodiscard]] bool is_rest(std::string_view segment) noexcept;

/// The names of a pattern, in order. If no path can match the pattern or its names are invalid,
/// throws std::invalid_argument with the error and its remedy.
[[nodiscard]] std::vector<std::string> checked_names(std::string_view pattern, std::size_t at_most);

}  // namespace brick::http
