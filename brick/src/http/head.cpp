#include "http/head.hpp"

#include <algorithm>
#include <cstring>

#include "http/known_fields.hpp"
#include "http/request_line.hpp"
#include "http/scan.hpp"

namespace brick::http {
namespace {

constexpr std::size_t kLineEnd = 2;

/// Where the bytes end that may be looked at, and the refusal for a line that goes on behind it.
struct Window {
    const char* end;
    int refusal;  // 0 if there may still be more within the limit.
};

Window window(const char* start, const char* end, std::size_t most, int refusal) noexcept {
    if (static_cast<std::size_t>(end - start) < most) {
        return {end, 0};
    }
    return {start + most, refusal};
}

/// The verdict on a line that isn't well formed up to its end, or has no end yet.
Parsed broken_line(const char* line, Window within) noexcept {
    if (std::find(line, within.end, '\n') != within.end) {
        return {0, 400};
    }
    return {0, within.refusal};
}

/// The same for a request line. One that is too long before its method ends has a method that is
/// longer than any (RFC 9112, 3), else the target is to blame.
Parsed broken_request_line(const char* line, Window within) noexcept {
    const Parsed broken = broken_line(line, within);
    const bool is_in_method = std::find(line, within.end, ' ') == within.end;
    return broken.refusal == 414 && is_in_method ? Parsed{0, 501} : broken;
}

/// Parses a field line at `at`, checks its characters, and moves `at` behind its CRLF. False for
/// what isn't a well-formed line up to its CRLF.
bool parse_field(const char*& at, const char* end, Field& field) noexcept {
    const char* const name = at;
    at = token_end(at, end);
    if (at == name || at == end || *at != ':') {
        return false;
    }
    field.name = {name, static_cast<std::size_t>(at - name)};
    ++at;
    while (at != end && is_blank(*at)) {
        ++at;
    }
    const char* const value = at;
    at = value_end(at, end);
    if (end - at < static_cast<std::ptrdiff_t>(kLineEnd) || at[0] != '\r' || at[1] != '\n') {
        return false;
    }
    const char* value_last = at;
    while (value_last != value && is_blank(value_last[-1])) {
        --value_last;
    }
    field.value = {value, static_cast<std::size_t>(value_last - value)};
    at += kLineEnd;
    return true;
}

}  // namespace

Parsed parse_head(std::string_view bytes, const Limits& limits, Head& head) noexcept {
    const char* at = bytes.data();
    const char* const all = at + bytes.size();
    if (bytes.starts_with("\r\n")) {
        at += kLineEnd;
    }
    const Window whole = window(at, all, limits.head_bytes, 431);
    // The line's limit doesn't count its CRLF, the head's does.
    const std::size_t longest = limits.head_bytes - std::min(limits.head_bytes, kLineEnd);
    const std::size_t line_most = std::min(limits.request_line_bytes, longest) + kLineEnd;
    const Window first = window(at, all, line_most, 414);

    const char* line = at;
    if (const int refusal = parse_request_line(at, first.end, head); refusal != 0) {
        return refusal == 400 ? broken_request_line(line, first) : Parsed{0, refusal};
    }
    const std::size_t fields_most = std::min(limits.fields, kMostFields);
    KnownFields known{head};
    head.field_count = 0;
    for (line = at; whole.end - at < 2 || at[0] != '\r' || at[1] != '\n'; line = at) {
        if (head.field_count == fields_most) {
            const Parsed broken = broken_line(line, whole);
            return broken.refusal == 0 ? broken : Parsed{0, 431};
        }
        Field& field = head.fields[head.field_count];
        if (!parse_field(at, whole.end, field)) {
            return broken_line(line, whole);
        }
        if (const int refusal = known.note(field); refusal != 0) {
            return {0, refusal};
        }
        ++head.field_count;
    }
    if (const int refusal = known.finish(); refusal != 0) {
        return {0, refusal};
    }
    return {static_cast<std::size_t>(at - bytes.data()) + kLineEnd, 0};
}

bool same_letters(std::string_view one, std::string_view other) noexcept {
    const auto small = [](char byte) { return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte; };
    return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                      [small](char a, char b) { return small(a) == small(b); });
}

bool is_token(std::string_view text) noexcept {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char byte) { return in(Chars::token, byte); });
}

bool is_field_value(std::string_view text) noexcept {
    return std::all_of(text.begin(), text.end(), [](char byte) { return in(Chars::value, byte); });
}

}  // namespace brick::http
