// Masks of any length, from any place, in any number of pieces.
#include "ws/mask.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace brick::ws {
namespace {

TEST(Mask, IsUndoneAsByteByByte) {
    std::mt19937 random(1);
    for (std::size_t length = 0; length < 300; ++length) {
        const Key key{static_cast<unsigned char>(random()), static_cast<unsigned char>(random()),
                      static_cast<unsigned char>(random()), static_cast<unsigned char>(random())};
        std::string masked(length, '\0');
        std::string plain(length, '\0');
        for (std::size_t at = 0; at < length; ++at) {
            masked[at] = static_cast<char>(random());
            plain[at] = static_cast<char>(masked[at] ^ key[at % 4]);
        }
        const std::size_t cut = random() % (length + 1);
        const std::size_t offset = random() % 9;  // Words are not aligned.
        std::string out(offset + length + 1, '#');
        const Key next = unmask(out.data() + offset, masked.data(), cut, key);
        unmask(out.data() + offset + cut, masked.data() + cut, length - cut, next);
        EXPECT_EQ(out, std::string(offset, '#') + plain + '#') << length << ", cut at " << cut;
    }
}

}  // namespace
}  // namespace brick::ws
