/// What clients of an echo send after their upgrade, for tests of splits and as seeds of fuzzers.
#pragma once

#include <string>
#include <vector>

#include "ws/frames.hpp"

namespace brick::ws::testing {

inline constexpr std::size_t kEchoLimit = 70'000;

inline std::vector<std::string> echo_inputs() {
    const std::string umlauts = "K\xc3\xb6ln \xe2\x82\xac \xf0\x9f\x8e\x89";
    const std::string end = frame(kClose, closing(1000, "bye"));
    const auto texts = [](auto... sizes) {
        return (frame(kText, std::string(static_cast<std::size_t>(sizes), 't')) + ...);
    };
    return {
        frame(kText, "Hello") + frame(kBinary, {"\0\xff\x80", 3}) + end,
        texts(0, 1, 7, 8, 9, 31, 32, 33, 124, 125, 126, 127, 128) + end,
        texts(2030, 2038, 2040, 2044, 2045, 2048, 2049) + end,
        frame(kBinary, std::string(65'535, 'b')) + frame(kBinary, std::string(65'536, 'b')) + end,
        frame(kText, umlauts) + fragment(kText, umlauts.substr(0, 2)) +
            fragment(0, umlauts.substr(2, 5)) + frame(kPing, "between") + fragment(0, "") +
            frame(0, umlauts.substr(7)) + end,
        fragment(kBinary, "") + frame(kPong, "unasked") + frame(0, "") + frame(kClose, ""),
        frame(kPing, "") + frame(kPing, std::string(125, 'p')) + frame(kText, "after") + end + end,
        frame(kText, "a\xff"),
        frame(kText, "\xed\xa0\x80"),
        frame(kText, "\xf4\x90"),
        frame(kText, "\xe2\x82") + end,
        fragment(kText, "\xe2\x82") + frame(0, "x") + end,
        frame(0, "nothing begun") + end,
        fragment(kText, "a") + frame(kText, "b") + end,
        fragment(kPing, "a") + end,
        frame(kPing, std::string(126, 'p')) + end,
        frame(kText, "a", {.is_masked = false}) + end,
        frame(kText, "a", {.reserved = 4}) + end,
        frame(kText, "a", {.length_bytes = 2}) + end,
        frame(kText, std::string(200, 'a'), {.length_bytes = 8}) + end,
        frame(3, "a") + end,
        frame(11, "a") + end,
        frame(kBinary, std::string(kEchoLimit, 'l')) + frame(kPing, "still") + end,
        frame(kBinary, std::string(kEchoLimit + 1, 'l')) + end,
        fragment(kBinary, std::string(kEchoLimit, 'l')) + frame(0, "l") + end,
        std::string("\x82\xff\xff\xff\xff\xff\xff\xff\xff\xff", 10) + "mask",
        std::string("\x82\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 10) + "mask",
        frame(kClose, "x"),
        frame(kClose, closing(999)) + end,
        frame(kClose, closing(1005)) + end,
        frame(kClose, closing(1015)) + end,
        frame(kClose, closing(4999, umlauts)) + end,
        frame(kClose, closing(5000)) + end,
        frame(kClose, closing(1000, "\xc3")) + end,
    };
}

}  // namespace brick::ws::testing
