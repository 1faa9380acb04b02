/// Finds the end of a run of bytes: 16 bytes at a time if the processor has SSE2 (every x86-64
/// has), one by one elsewhere. A function reads no byte outside of the range that it is given.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "http/characters.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace brick::http {

#if defined(__SSE2__)
namespace detail {

inline constexpr std::ptrdiff_t kWide = 16;

inline __m128i all(char byte) noexcept { return _mm_set1_epi8(byte); }

/// 0xff where a byte, unsigned, is at most `most`.
inline __m128i at_most(__m128i bytes, char most) noexcept {
    return _mm_cmpeq_epi8(_mm_min_epu8(bytes, all(most)), bytes);
}

/// Goes to the first byte from `at` that stops, or to `end`. Bytes before `at` are read to cover
/// the last few, if `begin` allows it; else those are left to the caller.
template <typename Stops>
inline const char* first_stop(const char* at, const char* begin, const char* end,
                              Stops stops) noexcept {
    const auto found_at = [stops](const char* bytes) noexcept {
        const __m128i loaded = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
        return static_cast<unsigned>(_mm_movemask_epi8(stops(loaded)));
    };
    for (; end - at >= kWide; at += kWide) {
        if (const unsigned found = found_at(at); found != 0) {
            return at + std::countr_zero(found);
        }
    }
    if (at == end || end - begin < kWide) {
        return at;
    }
    const unsigned found = found_at(end - kWide) >> (kWide - (end - at));
    return found != 0 ? at + std::countr_zero(found) : end;
}

/// Bytes that no target contains.
inline __m128i not_in_target(__m128i bytes) noexcept {
    // As signed numbers, bytes from 0x80 are less than 0. Up to '#' only '!' is good; '<' is '>'
    // except for 2.
    const __m128i low =
        _mm_andnot_si128(_mm_cmpeq_epi8(bytes, all('!')), _mm_cmplt_epi8(bytes, all('#' + 1)));
    const __m128i angle = _mm_cmpeq_epi8(_mm_or_si128(bytes, all(2)), all('>'));
    return _mm_or_si128(_mm_or_si128(low, angle), _mm_cmpeq_epi8(bytes, all(0x7f)));
}

/// 0xff where a byte is from `first` to `last`, both of them ASCII.
inline __m128i is_from(char first, char last, __m128i bytes) noexcept {
    // Moved so that `last` is the largest signed number.
    const __m128i moved = _mm_add_epi8(bytes, all(static_cast<char>(0x7f - last)));
    return _mm_cmpgt_epi8(moved, all(static_cast<char>(0x7e - (last - first))));
}

/// Letters, digits and `mark`.
inline __m128i is_alphanumeric_or(char mark, __m128i bytes) noexcept {
    const __m128i letter = is_from('a', 'z', _mm_or_si128(bytes, all(0x20)));
    const __m128i digit = is_from('0', '9', bytes);
    return _mm_or_si128(_mm_or_si128(letter, digit), _mm_cmpeq_epi8(bytes, all(mark)));
}

inline __m128i is_not(__m128i bytes) noexcept { return _mm_xor_si128(bytes, all(-1)); }

/// A block of this many bytes, for which a word has a bit each.
inline constexpr std::ptrdiff_t kBlock = 64;

/// The controls among 16 bytes.
inline std::uint64_t stops_of_16(const char* bytes) noexcept {
    const __m128i loaded = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    const __m128i stops = _mm_or_si128(at_most(loaded, 0x1f), _mm_cmpeq_epi8(loaded, all(0x7f)));
    return static_cast<unsigned>(_mm_movemask_epi8(stops));
}

/// The same for the bytes from `at` to `end`, which are less than a block.
inline std::uint64_t stops_of_rest(const char* at, const char* begin, const char* end) noexcept {
    const std::ptrdiff_t count = end - at;
    std::uint64_t found = 0;
    std::ptrdiff_t done = 0;
    for (; count - done >= kWide; done += kWide) {
        found |= stops_of_16(at + done) << done;
    }
    if (done < count && end - begin >= kWide) {
        return found | stops_of_16(end - kWide) >> (kWide - (count - done)) << done;
    }
    for (; done < count; ++done) {
        found |= std::uint64_t{is_control(at[done])} << done;
    }
    return found;
}

inline std::uint64_t stops_of_block(const char* at) noexcept {
    return stops_of_16(at) | stops_of_16(at + kWide) << kWide |
           stops_of_16(at + 2 * kWide) << 2 * kWide | stops_of_16(at + 3 * kWide) << 3 * kWide;
}

}  // namespace detail
#endif

/// Finds controls one after the other: in a head without tabs the two that end each line. With SSE2
/// it examines 64 bytes at once, so that the processor knows where the next lines are while it
/// still reads the first.
class Stops {
public:
    /// Searches the bytes from `at` to `end`; those from `begin` on may be read.
    Stops(const char* at, const char* begin, const char* end) noexcept
        : block_(at), next_(at), begin_(begin), end_(end) {}

    /// The next control, or `end`.
    [[nodiscard]] [[gnu::always_inline]] const char* next() noexcept {
#if defined(__SSE2__)
        while (found_ == 0) {
            if (next_ == end_) {
                return end_;
            }
            block_ = next_;
            const bool is_whole = end_ - block_ >= detail::kBlock;
            found_ = is_whole ? detail::stops_of_block(block_)
                              : detail::stops_of_rest(block_, begin_, end_);
            next_ = is_whole ? block_ + detail::kBlock : end_;
        }
        const char* const stop = block_ + std::countr_zero(found_);
        found_ &= found_ - 1;
        return stop;
#else
        while (next_ != end_ && !is_control(*next_)) {
            ++next_;
        }
        return next_ != end_ ? next_++ : end_;
#endif
    }

    /// Skips the next control.
    [[gnu::always_inline]] void drop() noexcept {
#if defined(__SSE2__)
        if (found_ != 0) [[likely]] {
            found_ &= found_ - 1;
            return;
        }
#endif
        static_cast<void>(next());
    }

private:
#if defined(__SSE2__)
    std::uint64_t found_ = 0;  // In `block_`, not returned yet.
#endif
    const char* block_;
    const char* next_;
    const char* begin_;
    const char* end_;
};

/// In all of these functions the bytes from `begin` on may be read: it is at most `at`.

/// The first byte from `at` that a target cannot contain.
[[nodiscard]] inline const char* target_end(const char* at, const char* begin,
                                            const char* end) noexcept {
#if defined(__SSE2__)
    at = detail::first_stop(at, begin, end, detail::not_in_target);
#endif
    while (at != end && in(Chars::target, *at)) {
        ++at;
    }
    return at;
}

/// The first byte from `at` that a target cannot contain, or that has a meaning in a path: ? or %.
[[nodiscard]] inline const char* path_run_end(const char* at, const char* begin,
                                              const char* end) noexcept {
#if defined(__SSE2__)
    at = detail::first_stop(at, begin, end, [](__m128i bytes) noexcept {
        const __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(bytes, detail::all('?')),
                                           _mm_cmpeq_epi8(bytes, detail::all('%')));
        return _mm_or_si128(detail::not_in_target(bytes), marks);
    });
#endif
    while (at != end && in(Chars::target, *at) && *at != '?' && *at != '%') {
        ++at;
    }
    return at;
}

/// The end of the token that begins at `at`.
[[nodiscard]] inline const char* token_end(const char* at, const char* begin,
                                           const char* end) noexcept {
#if defined(__SSE2__)
    // Field names are nearly always letters, digits and '-': the wide loop accepts no others.
    at = detail::first_stop(at, begin, end, [](__m128i bytes) noexcept {
        return detail::is_not(detail::is_alphanumeric_or('-', bytes));
    });
#endif
    while (at != end && in(Chars::token, *at)) {
        ++at;
    }
    return at;
}

/// The end of the host that begins at `at`, as far as it consists of literal bytes.
[[nodiscard]] inline const char* reg_name_end(const char* at, const char* begin,
                                              const char* end) noexcept {
#if defined(__SSE2__)
    // Hosts are nearly always letters, digits, '.' and '-'.
    at = detail::first_stop(at, begin, end, [](__m128i bytes) noexcept {
        const __m128i hyphen = _mm_cmpeq_epi8(bytes, detail::all('-'));
        return detail::is_not(_mm_or_si128(detail::is_alphanumeric_or('.', bytes), hyphen));
    });
#endif
    while (at != end && in(Chars::reg_name, *at)) {
        ++at;
    }
    return at;
}

}  // namespace brick::http
