/// The first line of a request: method, target and version (RFC 9112, 3).
#pragma once

#include "http/head.hpp"

namespace brick::http {

/// Parses the request line at `at`, sets `head`'s method, target and version, and moves `at` to
/// after its CRLF. Returns 0; or 400 if the line is not well formed up to its CRLF, whether wrong
/// or cut off by `end`; or 505 for a well-formed line whose version is not HTTP/1.0 or HTTP/1.1.
[[nodiscard]] int parse_request_line(const char*& at, const char* end, Head& head) noexcept;

}  // namespace brick::http
