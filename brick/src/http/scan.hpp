/// Finds where a run of bytes ends: 16 bytes at a time where the processor has SSE2 (every x86-64
/// has), one by one elsewhere and at the end of the input. Nothing outside [at, end) is read.
#pragma once

#include <bit>

#include "http/characters.hpp"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace brick::http {

#if defined(__SSE2__)
namespace detail {

inline constexpr int kWide = 16;

inline __m128i all(char byte) noexcept { return _mm_set1_epi8(byte); }

/// 0xff where a byte, unsigned, is at most `most`.
inline __m128i at_most(__m128i bytes, char most) noexcept {
    return _mm_cmpeq_epi8(_mm_min_epu8(bytes, all(most)), bytes);
}

/// Goes on while `stops` finds nothing in the next 16 bytes; the rest is left to the caller.
/// Returns true if `at` is at a byte that stops.
template <typename Stops>
inline bool stops_within(const char*& at, const char* end, Stops stops) noexcept {
    while (end - at >= kWide) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const auto found = static_cast<unsigned>(_mm_movemask_epi8(stops(bytes)));
        if (found != 0) {
            at += std::countr_zero(found);
            return true;
        }
        at += kWide;
    }
    return false;
}

/// Finds the first `mark` if no other byte that stops is before it: `at` is at it then. Else `at`
/// may have moved over bytes that don't stop. Looking for the mark alone is what the next step
/// waits for; that nothing else stops is checked beside it.
template <typename Stops>
inline bool reaches(char mark, const char*& at, const char* end, Stops stops) noexcept {
    while (end - at >= kWide) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
        const auto marks =
            static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, all(mark))));
        const auto found = static_cast<unsigned>(_mm_movemask_epi8(stops(bytes)));
        if (marks != 0) {
            const unsigned before = ~marks & (marks - 1);
            if ((found & before) != 0) [[unlikely]] {
                return false;
            }
            at += std::countr_zero(marks);
            return true;
        }
        if (found != 0) {
            return false;
        }
        at += kWide;
    }
    return false;
}

/// Bytes that no target holds.
inline __m128i not_in_target(__m128i bytes) noexcept {
    // Signed, bytes from 0x80 are less than 0. Up to '#' only '!' is good; '<' is '>' but for 2.
    const __m128i low =
        _mm_andnot_si128(_mm_cmpeq_epi8(bytes, all('!')), _mm_cmplt_epi8(bytes, all('#' + 1)));
    const __m128i angle = _mm_cmpeq_epi8(_mm_or_si128(bytes, all(2)), all('>'));
    return _mm_or_si128(_mm_or_si128(low, angle), _mm_cmpeq_epi8(bytes, all(0x7f)));
}

}  // namespace detail
#endif

/// The first byte that a field value can't hold.
[[nodiscard]] inline const char* value_end(const char* at, const char* end) noexcept {
#if defined(__SSE2__)
    const auto stops = [](__m128i bytes) noexcept {
        const __m128i control = _mm_andnot_si128(_mm_cmpeq_epi8(bytes, detail::all('\t')),
                                                 detail::at_most(bytes, 0x1f));
        return _mm_or_si128(control, _mm_cmpeq_epi8(bytes, detail::all(0x7f)));
    };
    if (detail::reaches('\r', at, end, stops)) {
        return at;
    }
#endif
    while (at != end && in(Chars::value, *at)) {
        ++at;
    }
    return at;
}

/// The first byte that a target can't hold.
[[nodiscard]] inline const char* target_end(const char* at, const char* end) noexcept {
#if defined(__SSE2__)
    if (detail::stops_within(at, end, detail::not_in_target)) {
        return at;
    }
#endif
    while (at != end && in(Chars::target, *at)) {
        ++at;
    }
    return at;
}

/// The first byte that a target can't hold, or that means something in a path: ? or %.
[[nodiscard]] inline const char* path_run_end(const char* at, const char* end) noexcept {
#if defined(__SSE2__)
    const auto stops = [](__m128i bytes) noexcept {
        const __m128i marks = _mm_or_si128(_mm_cmpeq_epi8(bytes, detail::all('?')),
                                           _mm_cmpeq_epi8(bytes, detail::all('%')));
        return _mm_or_si128(detail::not_in_target(bytes), marks);
    };
    if (detail::stops_within(at, end, stops)) {
        return at;
    }
#endif
    while (at != end && in(Chars::target, *at) && *at != '?' && *at != '%') {
        ++at;
    }
    return at;
}

/// The end of a token.
[[nodiscard]] inline const char* token_end(const char* at, const char* end) noexcept {
#if defined(__SSE2__)
    // Field names are nearly always letters, digits and '-': the wide loop knows no others.
    const auto stops = [](__m128i bytes) noexcept {
        const __m128i folded = _mm_or_si128(bytes, detail::all(0x20));
        const __m128i letter = detail::at_most(_mm_sub_epi8(folded, detail::all('a')), 25);
        const __m128i digit = detail::at_most(_mm_sub_epi8(bytes, detail::all('0')), 9);
        const __m128i hyphen = _mm_cmpeq_epi8(bytes, detail::all('-'));
        const __m128i good = _mm_or_si128(_mm_or_si128(letter, digit), hyphen);
        return _mm_xor_si128(good, detail::all(-1));
    };
    if (detail::reaches(':', at, end, stops)) {
        return at;
    }
#endif
    while (at != end && in(Chars::token, *at)) {
        ++at;
    }
    return at;
}

}  // namespace brick::http
