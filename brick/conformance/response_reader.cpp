#include "response_reader.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdint>

namespace brick::conformance {
namespace {

bool same(std::string_view one, std::string_view other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](char a, char b) {
        return std::tolower(static_cast<unsigned char>(a)) ==
               std::tolower(static_cast<unsigned char>(b));
    });
}

bool is_token(std::string_view text) {
    static constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || kMarks.find(c) != kMarks.npos;
    });
}

bool is_text(std::string_view text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\t') || byte == 0x7f;
    });
}

/// The whole `text` as a number, or nothing.
std::optional<std::uint64_t> number(std::string_view text, int base) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (text.empty() || error != std::errc() || end != text.data() + text.size()) return {};
    return value;
}

}  // namespace

std::optional<std::string> Response::field(std::string_view name) const {
    std::optional<std::string> all;
    for (const auto& [key, value] : fields) {
        if (same(key, name)) all = all ? *all + ", " + value : value;
    }
    return all;
}

std::optional<Response> ResponseReader::next(bool to_head) {
    Response response;
    std::size_t at = 0;
    if (!fault_.empty() || head(response, at) != Got::whole) return {};
    if (body(response, at, to_head) != Got::whole) return {};
    bytes_.erase(0, at);
    return response;
}

ResponseReader::Got ResponseReader::head(Response& into, std::size_t& at) {
    std::string_view text;
    if (auto got = line(at, text); got != Got::whole) return got;
    if (auto got = status_line(text, into); got != Got::whole) return got;
    while (true) {
        if (auto got = line(at, text); got != Got::whole) return got;
        if (text.empty()) return Got::whole;
        if (auto got = field_line(text, into); got != Got::whole) return got;
    }
}

ResponseReader::Got ResponseReader::status_line(std::string_view text, Response& into) {
    // "HTTP/1.1 200 OK"; the space after the status is present even without a reason.
    const auto status = number(text.substr(0, std::min<std::size_t>(text.size(), 12))
                                   .substr(std::min<std::size_t>(text.size(), 9)),
                               10);
    if (!text.starts_with("HTTP/1.1 ") || text.size() < 13 || text[12] != ' ' || !status ||
        *status < 100 || *status > 599 || !is_text(text)) {
        return wrong("a status line that is none: " + std::string(text));
    }
    into.status = static_cast<int>(*status);
    return Got::whole;
}

ResponseReader::Got ResponseReader::field_line(std::string_view text, Response& into) {
    const auto colon = text.find(':');
    if (colon == text.npos || !is_token(text.substr(0, colon)) || !is_text(text)) {
        return wrong("a field line that is none: " + std::string(text));
    }
    auto value = text.substr(colon + 1);
    const auto from = value.find_first_not_of(" \t");
    value = from == value.npos ? "" : value.substr(from, value.find_last_not_of(" \t") - from + 1);
    into.fields.emplace_back(text.substr(0, colon), value);
    return Got::whole;
}

ResponseReader::Got ResponseReader::body(Response& into, std::size_t& at, bool to_head) {
    const auto length = into.field("Content-Length");
    const auto coding = into.field("Transfer-Encoding");
    if (length && coding) return wrong("Content-Length and Transfer-Encoding in one answer");
    if (into.status < 200 || into.status == 204) {
        if (length || coding) return wrong("a length in an answer that has no body");
        return Got::whole;
    }
    const auto bytes = length ? number(*length, 10) : std::nullopt;
    if (length && !bytes) return wrong("Content-Length: " + *length);
    if (coding && !same(*coding, "chunked")) return wrong("Transfer-Encoding: " + *coding);
    if (to_head || into.status == 304) return Got::whole;
    if (coding) return chunked(into, at);
    if (!bytes && !ended_) return Got::missing;
    const auto size = bytes ? static_cast<std::size_t>(*bytes) : bytes_.size() - at;
    if (bytes_.size() - at < size) return Got::missing;
    into.body = bytes_.substr(at, size);
    at += size;
    return Got::whole;
}

ResponseReader::Got ResponseReader::chunked(Response& into, std::size_t& at) {
    std::string_view text;
    while (true) {
        if (auto got = line(at, text); got != Got::whole) return got;
        const auto size = number(text, 16);
        if (!size) return wrong("a chunk size that is none: " + std::string(text));
        if (*size == 0) break;
        if (bytes_.size() - at < *size + 2) return Got::missing;
        into.body += bytes_.substr(at, *size);
        at += *size;
        if (bytes_.compare(at, 2, "\r\n") != 0) return wrong("no CRLF behind a chunk's data");
        at += 2;
    }
    if (auto got = line(at, text); got != Got::whole) return got;
    return text.empty() ? Got::whole : wrong("trailers that nobody asked for");
}

ResponseReader::Got ResponseReader::line(std::size_t& at, std::string_view& into) {
    const auto end = bytes_.find('\n', at);
    if (end == bytes_.npos) return Got::missing;
    if (end == at || bytes_[end - 1] != '\r') return wrong("a line that ends in a bare LF");
    into = std::string_view(bytes_).substr(at, end - 1 - at);
    at = end + 1;
    return Got::whole;
}

ResponseReader::Got ResponseReader::wrong(std::string what) {
    fault_ = std::move(what);
    return Got::wrong;
}

}  // namespace brick::conformance
