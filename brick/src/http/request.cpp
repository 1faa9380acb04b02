#include <brick/request.hpp>

#include "http/characters.hpp"
#include "http/head.hpp"

namespace brick {
std::optional<std::string_view> Request::field(std::string_view name) const noexcept {
    for (const Field& field : fields) {
        if (http::same_letters(field.name, name)) {
            return field.value;
        }
    }
    return std::nullopt;
}

std::string_view Request::param(std::string_view name) const noexcept {
    for (const Field& param : params) {
        if (param.name == name) {
            return param.value;
        }
    }
    return {};
}

std::optional<std::string> percent_decoded(std::string_view text) {
    std::string decoded;
    decoded.reserve(text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (text[at] != '%') {
            decoded += text[at];
            continue;
        }
        if (text.size() - at < 3 || http::hex_value(text[at + 1]) < 0 ||
            http::hex_value(text[at + 2]) < 0) {
            return std::nullopt;
        }
        decoded +=
            static_cast<char>(http::hex_value(text[at + 1]) * 16 + http::hex_value(text[at + 2]));
        at += 2;
    }
    return decoded;
}

}  // namespace brick
