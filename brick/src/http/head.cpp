#include "http/head.hpp"

#include <algorithm>
#include <cstring>

#include "http/known_fields.hpp"
#include "http/request_line.hpp"
#include "http/scan.hpp"

namespace brick::http {
namespace {

constexpr std::size_t kLineEnd = 2;

/// The end of the bytes that may be parsed, and the refusal of a line that continues after it.
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

/// The verdict on a line that is not well formed up to its end, or has no end yet.
Parsed broken_line(const char* line, Window within) noexcept {
    if (std::find(line, within.end, '\n') != within.end) {
        return {0, 400};
    }
    return {0, within.refusal};
}

/// The same for a request line. If it is too long before its method ends, its method is longer than
/// any (RFC 9112, 3); else the target is too long.
Parsed broken_request_line(const char* line, Window within) noexcept {
    const Parsed broken = broken_line(line, within);
    const bool is_in_method = std::find(line, within.end, ' ') == within.end;
    return broken.refusal == 414 && is_in_method ? Parsed{0, 501} : broken;
}

bool is_line_end(const char* at, const char* end) noexcept {
    return end - at >= static_cast<std::ptrdiff_t>(kLineEnd) &&
           std::memcmp(at, "\r\n", kLineEnd) == 0;
}

/// Parses the field line from `at` to `line_end`, where a CRLF is; before it there is no byte that
/// a value cannot contain. The bytes from `begin` to `end` may be read. Returns false if it is not
/// well formed.
bool parse_field(const char* at, const char* line_end, const char* begin, const char* end,
                 Field& field) noexcept {
    const char* const name = at;
    at = token_end(at, begin, end);
    if (at == name || *at != ':') {
        return false;
    }
    field.name = {name, static_cast<std::size_t>(at - name)};
    ++at;
    while (*at <= ' ' && is_blank(*at)) {
        ++at;
    }
    while (line_end[-1] <= ' ' && is_blank(line_end[-1]) && line_end != at) {
        --line_end;
    }
    field.value = {at, static_cast<std::size_t>(line_end - at)};
    return true;
}

}  // namespace

Parsed parse_head(std::string_view bytes, const Limits& limits, Head& head) noexcept {
    const char* const begin = bytes.data();
    const char* const all = begin + bytes.size();
    const char* at = begin;
    if (bytes.starts_with("\r\n")) {
        at += kLineEnd;
    }
    const Window whole = window(at, all, limits.head_bytes, 431);
    // The line's limit excludes its CRLF, the head's includes it.
    const std::size_t longest = limits.head_bytes - std::min(limits.head_bytes, kLineEnd);
    const std::size_t line_most = std::min(limits.request_line_bytes, longest) + kLineEnd;
    const Window first = window(at, all, line_most, 414);

    Stops stops(at, begin, whole.end);
    const char* line = at;
    if (const int refusal = parse_request_line(at, first.end, head); refusal != 0) {
        return refusal == 400 ? broken_request_line(line, first) : Parsed{0, refusal};
    }
    // This is not `at`, which is equal but known only when everything before it is.
    line = stops.next() + kLineEnd;
    stops.drop();

    KnownFields known{head, whole.end};
    Field* field = head.fields.data();
    const Field* const most = field + std::min(limits.fields, kMostFields);
    while (true) {
        const char* line_end = stops.next();
        bool has_end = is_line_end(line_end, whole.end);
        while (!has_end && line_end != whole.end && *line_end == '\t') {
            line_end = stops.next();
            has_end = is_line_end(line_end, whole.end);
        }
        if (has_end && line_end == line) {
            break;
        }
        if (field == most) {
            const Parsed broken = broken_line(line, whole);
            return broken.refusal == 0 ? broken : Parsed{0, 431};
        }
        if (!has_end || !parse_field(line, line_end, begin, whole.end, *field)) {
            return broken_line(line, whole);
        }
        if (const int refusal = known.note(*field); refusal != 0) {
            return {0, refusal};
        }
        ++field;
        line = line_end + kLineEnd;
        stops.drop();
    }
    head.field_count = static_cast<std::size_t>(field - head.fields.data());
    if (const int refusal = known.finish(); refusal != 0) {
        return {0, refusal};
    }
    return {static_cast<std::size_t>(line - begin) + kLineEnd, 0};
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
