/// Hosts and ports: what Host, CONNECT and absolute targets hold (RFC 3986, 3.2; RFC 9110, 4.2).
#pragma once

#include <string_view>

namespace brick::http {

/// Whether a port behind the host is optional or must be there with a digit.
enum class Port : bool { optional, demanded };

/// A name, an IPv4 address or an IPv6 address in brackets, then perhaps a colon and a port, which
/// may be empty and is at most 65535. No user-info; the host isn't empty. Of addresses in brackets
/// it knows no later version and no zone.
///
/// The bytes behind the text may be read up to `end`.
[[nodiscard]] bool is_authority(std::string_view text, const char* end,
                                Port port = Port::optional) noexcept;

/// An IPv6 address as RFC 3986 writes it, without brackets.
[[nodiscard]] bool is_ipv6(std::string_view text) noexcept;

}  // namespace brick::http
