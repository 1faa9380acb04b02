/// The first line of a request: method, target and version (RFC 9112, 3).
#pragma once

#include "http/head.hpp"

namespace brick::http {

/// Parses the request line at `at`, sets `head`'s method, target and version, and moves `at` behind
/// the line's CRLF. Returns 0; or 400 for what isn't a well-formed line up to its CRLF, be it bad
/// or cut off by `end`; or 505 for a well-formed line whose version isn't HTTP/1.0 or HTTP/1.1.
[[nodiscard]] int parse_request_line(const char*& at, const char* end, Head& head) noexcept;

}  // namespace brick::http
