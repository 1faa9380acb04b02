/// How often a part occurs in a text.
#pragma once

#include <cstddef>
#include <string_view>

namespace brick::testing {

inline std::size_t occurrences(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string_view::npos;
         at = text.find(part, at + part.size())) {
        ++found;
    }
    return found;
}

}  // namespace brick::testing
