#include "http/request_line.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <string_view>

#include "http/authority.hpp"
#include "http/scan.hpp"

namespace brick::http {
namespace {

constexpr std::string_view kVersion = "HTTP/1.1\r\n";

std::string_view between(const char* from, const char* to) noexcept {
    return {from, static_cast<std::size_t>(to - from)};
}

/// Goes to the end of a path and its query, and sets those of `head`. Returns false if a % in the
/// path is not followed by two digits. (A query may have such a %: browsers send it as typed.)
[[gnu::always_inline]] inline bool parse_path_and_query(const char*& at, const char* begin,
                                                        const char* end, Head& head) noexcept {
    const char* const path = at;
    bool well_formed = true;
    while ((at = path_run_end(at, begin, end)) != end && *at == '%') {
        const bool has_digits = end - at > 2 && hex_value(at[1]) >= 0 && hex_value(at[2]) >= 0;
        well_formed = well_formed && has_digits;
        ++at;
    }
    head.path = between(path, at);
    head.query = {};
    if (at != end && *at == '?') {
        const char* const query = at + 1;
        at = target_end(query, begin, end);
        head.query = between(query, at);
    }
    return well_formed;
}

/// The part of an absolute target after its scheme, or nothing if its scheme is not http or https.
std::string_view behind_scheme(std::string_view target) noexcept {
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (target.size() > scheme.size() &&
            same_letters(target.substr(0, scheme.size()), scheme)) {
            return target.substr(scheme.size());
        }
    }
    return {};
}

bool split_absolute(Head& head) noexcept {
    const std::string_view rest = behind_scheme(head.target);
    const std::size_t authority_bytes = std::min(rest.find_first_of("/?"), rest.size());
    if (!is_authority(rest.substr(0, authority_bytes), rest.data() + rest.size())) {
        return false;
    }
    head.form = Target::absolute;
    const char* at = rest.data() + authority_bytes;
    const char* const end = rest.data() + rest.size();
    if (at == end) {
        // An empty path is "/", except for OPTIONS, which then asks for the server (RFC 9110,
        // 4.2.3).
        head.path = head.method == "OPTIONS" ? "*" : "/";
        return true;
    }
    const bool well_formed = parse_path_and_query(at, rest.data(), end, head);
    if (head.path.empty()) {
        head.path = "/";
    }
    return well_formed;
}

/// The forms other than a path.
bool split_other_target(Head& head) noexcept {
    head.query = {};
    if (head.method == "CONNECT") {
        head.path = {};
        head.form = Target::authority;
        return is_authority(head.target, head.target.data() + head.target.size(), Port::demanded);
    }
    if (head.target == "*") {
        head.path = head.target;
        head.form = Target::asterisk;
        return head.method == "OPTIONS";
    }
    return split_absolute(head);
}

/// Takes " HTTP/d.d" and CRLF: returns 0, 400 or 505.
int parse_version(const char*& at, const char* end, Head& head) noexcept {
    if (end - at < static_cast<std::ptrdiff_t>(1 + kVersion.size()) || *at != ' ') {
        return 400;
    }
    const std::string_view text{at + 1, kVersion.size()};
    head.minor = 1;
    if (text != kVersion) [[unlikely]] {
        if (!text.starts_with("HTTP/") || !is_digit(text[5]) || text[6] != '.' ||
            !is_digit(text[7]) || !text.ends_with("\r\n")) {
            return 400;
        }
        if (text[5] != '1' || text[7] != '0') {
            return 505;
        }
        head.minor = 0;
    }
    at += 1 + kVersion.size();
    return 0;
}

}  // namespace

int parse_request_line(const char*& start, const char* end, Head& head) noexcept {
    const char* const method = start;
    const char* at = method;
    if (end - at > 4 && std::memcmp(at, "GET ", 4) == 0) {
        at += 3;
    } else {
        while (at != end && in(Chars::token, *at)) {
            ++at;
        }
        if (at == method || at == end || *at != ' ') {
            return 400;
        }
    }
    head.method = between(method, at);
    ++at;
    if (at == end) {
        return 400;
    }
    const char* const target = at;
    bool well_formed = true;
    head.form = Target::origin;
    if (*at == '/') [[likely]] {
        well_formed = parse_path_and_query(at, method, end, head) && head.method != "CONNECT";
    } else {
        at = target_end(at, method, end);
    }
    head.target = between(target, at);
    if (at == target) {
        return 400;
    }
    // The version comes first, because another one might have other targets.
    if (const int refusal = parse_version(at, end, head); refusal != 0) {
        return refusal;
    }
    if (*target != '/') [[unlikely]] {
        well_formed = split_other_target(head);
    }
    start = at;
    return well_formed ? 0 : 400;
}

}  // namespace brick::http
