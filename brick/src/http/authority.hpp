/// Hosts and ports in Host, CONNECT and absolute targets (RFC 3986, 3.2; RFC 9110, 4.2).
#pragma once

#include <string_view>

namespace brick::http {

/// Whether a port after the host is optional or must be present with a digit.
enum class Port : bool { optional, demanded };

/// A name, an IPv4 address or an IPv6 address in brackets, then perhaps a colon and a port, which
/// may be empty and is at most 65535. No user-info; the host is not empty. Among addresses in
/// brackets it accepts no later version and no zone.
///
/// The bytes after the text may be read up to `end`.
[[nodiscard]] bool is_authority(std::string_view text, const char* end,
                                Port port = Port::optional) noexcept;

/// An IPv6 address by RFC 3986, without brackets.
[[nodiscard]] bool is_ipv6(std::string_view text) noexcept;

}  // namespace brick::http
