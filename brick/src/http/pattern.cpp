#include "http/pattern.hpp"

#include <algorithm>
#include <stdexcept>

namespace brick::http {
namespace {

constexpr std::string_view kRest = "...}";

bool is_name_character(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// The characters that a client can send in a path; it percent-encodes all others.
bool is_path_character(char c) noexcept { return c > ' ' && c < 0x7f && c != '?' && c != '#'; }

std::string checked_name(std::string_view segment) {
    const std::size_t tail = is_rest(segment) ? kRest.size() : 1;
    const std::string_view name = segment.substr(1, segment.size() - 1 - tail);
    if (name.empty() || !std::all_of(name.begin(), name.end(), is_name_character)) {
        throw std::invalid_argument(
            "a name is letters, digits and _, as in {id} or {path...}, not " +
            std::string(segment));
    }
    return std::string(name);
}

void check_literal(std::string_view segment) {
    if (segment.find_first_of("{}") != std::string_view::npos) {
        throw std::invalid_argument("a name takes a whole segment, as in /{id}/, unlike \"" +
                                    std::string(segment) + "\"");
    }
    if (!std::all_of(segment.begin(), segment.end(), is_path_character)) {
        throw std::invalid_argument(
            "a pattern has no query and no character that a client must percent-encode; write "
            "\"" +
            std::string(segment) + "\" as it is sent");
    }
}

}  // namespace

std::string_view Segments::next() noexcept {
    const std::size_t end = std::min(left_.find('/', 1), left_.size());
    const std::string_view segment = left_.substr(1, end - 1);
    left_.remove_prefix(end);
    return segment;
}

bool is_name(std::string_view segment) noexcept {
    return segment.starts_with('{') && segment.ends_with('}');
}

bool is_rest(std::string_view segment) noexcept {
    return is_name(segment) && segment.ends_with(kRest);
}

std::vector<std::string> checked_names(std::string_view pattern, std::size_t at_most) {
    if (!pattern.starts_with('/')) {
        throw std::invalid_argument("a pattern begins with /");
    }
    std::vector<std::string> names;
    for (Segments segments(pattern); !segments.done();) {
        const std::string_view segment = segments.next();
        if (!is_name(segment)) {
            check_literal(segment);
            continue;
        }
        if (is_rest(segment) && !segments.done()) {
            throw std::invalid_argument(std::string(segment) +
                                        " takes all the rest, so it is the last segment");
        }
        std::string name = checked_name(segment);
        if (std::find(names.begin(), names.end(), name) != names.end()) {
            throw std::invalid_argument("each name once; {" + name + "} is there twice");
        }
        names.push_back(std::move(name));
    }
    if (names.size() > at_most) {
        throw std::invalid_argument("a pattern has at most " + std::to_string(at_most) +
                                    " names, not " + std::to_string(names.size()));
    }
    return names;
}

}  // namespace brick::http
