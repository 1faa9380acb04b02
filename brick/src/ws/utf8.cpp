#include "ws/utf8.hpp"

#include <array>
#include <cstddef>
#include <cstring>

namespace brick::ws {
namespace {

// A state is the number of a bit: there, a byte's entry in the table has the next state, so
// that a byte costs one load and one shift.
enum State : std::uint8_t {
    kWhole = 0,
    kBroken = 6,
    kOneMore = 12,
    kTwoMore = 18,
    kThreeMore = 24,
    kAfterE0 = 30,  // No character is longer than it has to be.
    kAfterEd = 36,  // Nor a surrogate.
    kAfterF0 = 42,
    kAfterF4 = 48,  // Nor beyond U+10FFFF.
};
constexpr unsigned kStateBits = 6;
constexpr std::uint64_t kStateMask = (1U << kStateBits) - 1;

constexpr State next(State state, unsigned byte) noexcept {
    const auto follows = [byte](unsigned first, unsigned last, State then) {
        return byte >= first && byte <= last ? then : kBroken;
    };
    switch (state) {
        case kWhole:
            if (byte < 0x80) return kWhole;
            if (byte >= 0xc2 && byte <= 0xdf) return kOneMore;
            if (byte == 0xe0) return kAfterE0;
            if (byte == 0xed) return kAfterEd;
            if (byte >= 0xe1 && byte <= 0xef) return kTwoMore;
            if (byte == 0xf0) return kAfterF0;
            if (byte == 0xf4) return kAfterF4;
            return follows(0xf1, 0xf3, kThreeMore);
        case kBroken:
            return kBroken;
        case kOneMore:
            return follows(0x80, 0xbf, kWhole);
        case kTwoMore:
            return follows(0x80, 0xbf, kOneMore);
        case kThreeMore:
            return follows(0x80, 0xbf, kTwoMore);
        case kAfterE0:
            return follows(0xa0, 0xbf, kOneMore);
        case kAfterEd:
            return follows(0x80, 0x9f, kOneMore);
        case kAfterF0:
            return follows(0x90, 0xbf, kTwoMore);
        case kAfterF4:
            return follows(0x80, 0x8f, kTwoMore);
    }
    return kBroken;
}

constexpr std::array<std::uint64_t, 256> kNext = [] {
    std::array<std::uint64_t, 256> table{};
    for (unsigned byte = 0; byte < table.size(); ++byte) {
        for (unsigned state = kWhole; state <= kAfterF4; state += kStateBits) {
            table[byte] |= std::uint64_t{next(static_cast<State>(state), byte)} << state;
        }
    }
    return table;
}();

const char* skip_ascii(const char* at, const char* end) noexcept {
    constexpr std::uint64_t kHighBits = 0x8080808080808080U;
    std::array<std::uint64_t, 4> words{};
    for (; end - at >= static_cast<std::ptrdiff_t>(sizeof words); at += sizeof words) {
        std::memcpy(words.data(), at, sizeof words);
        if (((words[0] | words[1] | words[2] | words[3]) & kHighBits) != 0) break;
    }
    while (at != end && static_cast<unsigned char>(*at) < 0x80) ++at;
    return at;
}

}  // namespace

bool Utf8::take(std::string_view bytes) noexcept {
    std::uint64_t state = state_;
    const char* at = bytes.data();
    const char* const end = at + bytes.size();
    while (at != end) {
        if (state == kWhole) {
            at = skip_ascii(at, end);
            if (at == end) break;
        }
        state = kNext[static_cast<unsigned char>(*at++)] >> state & kStateMask;
    }
    state_ = static_cast<std::uint8_t>(state);
    return state_ != kBroken;
}

}  // namespace brick::ws
