/// No tricks, and no code shared with the fast parser except the names of its types. If the two
/// differ, one of them is wrong.
#include "http/head_plainly.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

namespace brick::http::testing {
namespace {

using View = std::string_view;

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool all_digits(View text) { return text.find_first_not_of("0123456789") == View::npos; }

bool is_hex(char c) { return View("0123456789abcdefABCDEF").find(c) != View::npos; }

bool plain_token(View text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return is_letter_or_digit(c) || View("!#$%&'*+-.^_`|~").find(c) != View::npos;
    });
}

bool plain_value(View text) {
    return std::none_of(text.begin(), text.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte < 0x20 && c != '\t') || byte == 0x7f;
    });
}

bool plain_target(View text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return c >= 0x21 && c <= 0x7e && View("\"#<>").find(c) == View::npos;
    });
}

std::string small(View text) {
    std::string copy(text);
    for (char& c : copy) {
        if (c >= 'A' && c <= 'Z') {
            c = static_cast<char>(c - 'A' + 'a');
        }
    }
    return copy;
}

View trimmed(View text) {
    const std::size_t first = text.find_first_not_of(" \t");
    if (first == View::npos) {
        return {};
    }
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// The elements of a comma-separated list that are not empty, in lower case.
std::vector<std::string> elements(View list) {
    std::vector<std::string> found;
    for (std::size_t from = 0; from <= list.size();) {
        const std::size_t comma = std::min(list.find(',', from), list.size());
        const View element = trimmed(list.substr(from, comma - from));
        if (!element.empty()) {
            found.push_back(small(element));
        }
        from = comma + 1;
    }
    return found;
}

bool percents_are_whole(View text) {
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] == '%' &&
            (at + 2 >= text.size() || !is_hex(text[at + 1]) || !is_hex(text[at + 2]))) {
            return false;
        }
    }
    return true;
}

bool plain_host(View host) {
    if (host.starts_with('[') && host.ends_with(']')) {
        const std::string address(host.substr(1, host.size() - 2));
        in6_addr ignored{};
        return address.find('\0') == std::string::npos &&
               inet_pton(AF_INET6, address.c_str(), &ignored) == 1;
    }
    return !host.empty() && percents_are_whole(host) &&
           std::all_of(host.begin(), host.end(), [](char c) {
               return is_letter_or_digit(c) || View("-._~!$&'()*+,;=%").find(c) != View::npos;
           });
}

/// Host and port. The last colon begins the port, unless it is within an address's brackets.
bool plain_authority(View text, bool port_demanded) {
    const std::size_t colon = text.rfind(':');
    if (colon == View::npos || text.find(']', colon) != View::npos) {
        return !port_demanded && plain_host(text);
    }
    const View port = text.substr(colon + 1);
    if (!plain_host(text.substr(0, colon)) || !all_digits(port)) {
        return false;
    }
    if (port.empty()) {
        return !port_demanded;
    }
    const std::size_t digit = std::min(port.find_first_not_of('0'), port.size() - 1);
    const std::string number(port.substr(digit));
    return number.size() <= 5 && std::stoul(number) <= 65535;
}

bool split_path(View text, Head& head) {
    const std::size_t mark = text.find('?');
    head.path = text.substr(0, mark);
    head.query = mark == View::npos ? View{} : text.substr(mark + 1);
    return percents_are_whole(head.path);
}

bool split_target(Head& head) {
    head.query = {};
    if (head.method == "CONNECT") {
        head.form = Target::authority;
        head.path = {};
        return plain_authority(head.target, true);
    }
    if (head.target.starts_with('/')) {
        head.form = Target::origin;
        return split_path(head.target, head);
    }
    if (head.target == "*") {
        head.form = Target::asterisk;
        head.path = head.target;
        return head.method == "OPTIONS";
    }
    head.form = Target::absolute;
    const std::string folded = small(head.target);
    const std::size_t scheme = folded.starts_with("http://")    ? 7
                               : folded.starts_with("https://") ? 8
                                                                : 0;
    if (scheme == 0) {
        return false;
    }
    const View rest = head.target.substr(scheme);
    const std::size_t path = std::min(rest.find_first_of("/?"), rest.size());
    const bool good = split_path(rest.substr(path), head);
    if (head.path.empty()) {
        head.path = head.method == "OPTIONS" && path == rest.size() ? "*" : "/";
    }
    return good && plain_authority(rest.substr(0, path), false);
}

int read_request_line(View line, Head& head) {
    const std::size_t first = line.find(' ');
    const std::size_t last = line.rfind(' ');
    if (first == View::npos || first == last) {
        return 400;
    }
    head.method = line.substr(0, first);
    head.target = line.substr(first + 1, last - first - 1);
    const View version = line.substr(last + 1);
    if (!plain_token(head.method) || !plain_target(head.target) || version.size() != 8 ||
        !version.starts_with("HTTP/") || version[6] != '.' || !all_digits(version.substr(5, 1)) ||
        !all_digits(version.substr(7, 1))) {
        return 400;
    }
    if (version != "HTTP/1.0" && version != "HTTP/1.1") {
        return 505;
    }
    head.minor = version == "HTTP/1.1" ? 1 : 0;
    return split_target(head) ? 0 : 400;
}

/// The contents of the fields so far.
struct Said {
    int hosts = 0;
    int lengths = 0;
    std::optional<std::vector<std::string>> codings;
    std::vector<std::string> options;
};

int read_length(View value, Said& said, Head& head) {
    if (said.lengths++ > 0 || said.codings || value.empty() || !all_digits(value)) {
        return 400;
    }
    const std::string digits(
        value.substr(std::min(value.find_first_not_of('0'), value.size() - 1)));
    const std::string most = "18446744073709551615";
    if (digits.size() > most.size() || (digits.size() == most.size() && digits > most)) {
        return 400;
    }
    head.framing = Framing::length;
    head.length = std::stoull(digits);
    return 0;
}

int read_codings(View value, Said& said, Head& head) {
    if (head.minor == 0 || said.lengths > 0) {
        return 400;
    }
    if (!said.codings) {
        said.codings.emplace();
    }
    for (const std::string& coding : elements(value)) {
        if (!plain_token(coding)) {
            return 400;
        }
        said.codings->push_back(coding);
    }
    const auto chunked = std::find(said.codings->begin(), said.codings->end(), "chunked");
    if (chunked == said.codings->end()) {
        return 0;
    }
    if (chunked != said.codings->end() - 1) {
        return 400;
    }
    head.framing = Framing::chunked;
    return said.codings->size() == 1 ? 0 : 501;
}

int read_field(View line, Said& said, Head& head) {
    const std::size_t colon = line.find(':');
    if (colon == View::npos || !plain_token(line.substr(0, colon)) ||
        !plain_value(line.substr(colon + 1))) {
        return 400;
    }
    const Field field{line.substr(0, colon), trimmed(line.substr(colon + 1))};
    head.fields[head.field_count++] = field;
    const std::string name = small(field.name);
    if (name == "host") {
        return said.hosts++ == 0 && plain_authority(field.value, false) ? 0 : 400;
    }
    if (name == "content-length") {
        return read_length(field.value, said, head);
    }
    if (name == "transfer-encoding") {
        return read_codings(field.value, said, head);
    }
    if (name == "connection") {
        for (const std::string& option : elements(field.value)) {
            said.options.push_back(option);
        }
    }
    if (name == "expect" && head.minor == 1) {
        for (const std::string& expectation : elements(field.value)) {
            if (expectation != "100-continue") {
                return 417;
            }
            head.expects_continue = true;
        }
    }
    return 0;
}

int read_end(const Said& said, Head& head) {
    if ((said.hosts == 0 && head.minor == 1) ||
        (said.codings && head.framing != Framing::chunked)) {
        return 400;
    }
    const auto has = [&said](View option) {
        return std::find(said.options.begin(), said.options.end(), option) != said.options.end();
    };
    head.keeps_alive = !has("close") && (head.minor == 1 || has("keep-alive"));
    return 0;
}

}  // namespace

Parsed parse_head_plainly(std::string_view bytes, const Limits& limits, Head& head) {
    const std::size_t start = bytes.starts_with("\r\n") ? 2 : 0;
    head.framing = Framing::none;
    head.length = 0;
    head.expects_continue = false;
    head.field_count = 0;
    Said said;
    for (std::size_t at = start, count = 0;; ++count) {
        const View rest = bytes.substr(at);
        const std::size_t newline = rest.find('\n');
        const bool has_end = newline != View::npos;
        const std::size_t line_bytes = (has_end ? newline : rest.size()) + 1;  // At the least.
        if (count == 0 && (line_bytes > limits.head_bytes ||
                           (line_bytes > 2 && line_bytes - 2 > limits.request_line_bytes))) {
            const std::size_t most = std::min(limits.request_line_bytes + 2, limits.head_bytes);
            return {0, rest.substr(0, most).find(' ') == View::npos ? 501 : 414};
        }
        if (at - start + line_bytes > limits.head_bytes) {
            return {0, 431};
        }
        if (!has_end) {
            return {0, 0};
        }
        const View ended = rest.substr(0, line_bytes);
        const View line = ended.substr(0, line_bytes - std::min<std::size_t>(2, line_bytes));
        const bool whole = ended.ends_with("\r\n");
        at += line_bytes;
        int refusal = 0;
        if (count > 0 && whole && line.empty()) {
            refusal = read_end(said, head);
            return refusal == 0 ? Parsed{at, 0} : Parsed{0, refusal};
        }
        if (count > std::min(limits.fields, kMostFields)) {
            return {0, 431};
        }
        if (!whole) {
            return {0, 400};
        }
        refusal = count == 0 ? read_request_line(line, head) : read_field(line, said, head);
        if (refusal != 0) {
            return {0, refusal};
        }
    }
}

}  // namespace brick::http::testing
