/// Compares the fast parser of heads with the plain one: any bytes, whole and cut, any limits.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string_view>

#include "http/head.hpp"
#include "http/head_plainly.hpp"

namespace {

using brick::http::Head;
using brick::http::Parsed;

void demand(bool holds) {
    if (!holds) {
        std::abort();
    }
}

bool same_fields(const Head& one, const Head& other) {
    return std::ranges::equal(one.all_fields(), other.all_fields(), [](auto& a, auto& b) {
        return a.name == b.name && a.value == b.value;
    });
}

bool same_head(const Head& one, const Head& other) {
    return one.method == other.method && one.target == other.target && one.path == other.path &&
           one.query == other.query && one.form == other.form && one.framing == other.framing &&
           one.length == other.length && one.minor == other.minor &&
           one.keeps_alive == other.keeps_alive && one.expects_continue == other.expects_continue &&
           same_fields(one, other);
}

Parsed compare(std::string_view bytes, const brick::Limits& limits) {
    static Head fast;
    static Head plain;
    const Parsed one = parse_head(bytes, limits, fast);
    const Parsed other = brick::http::testing::parse_head_plainly(bytes, limits, plain);
    demand(one.consumed == other.consumed && one.refusal == other.refusal);
    demand(one.consumed == 0 || same_head(fast, plain));
    return one;
}

}  // namespace

/// The first two bytes choose where the head is cut and its limits; the rest is the head.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) {
        return 0;
    }
    // A separate block, so that AddressSanitizer sees a read of the first byte beyond it.
    const std::size_t count = size - 2;
    const auto block = std::make_unique<char[]>(count);  // NOLINT: a string has a byte behind.
    std::copy_n(data + 2, count, block.get());
    const std::string_view bytes{block.get(), count};

    brick::Limits limits;
    if (data[1] % 4 != 0) {
        limits = {
            .request_line_bytes = data[1], .head_bytes = 2 + data[1] * 2U, .fields = data[1] % 8U};
    }
    const Parsed whole = compare(bytes, limits);
    const std::size_t cut = count * data[0] / 256;
    const auto front = std::make_unique<char[]>(cut);  // NOLINT
    std::copy_n(block.get(), cut, front.get());
    const Parsed part = compare({front.get(), cut}, limits);
    // A decided result does not change.
    if (part.consumed != 0 || part.refusal != 0) {
        demand(part.consumed == whole.consumed && part.refusal == whole.refusal);
    }
    return 0;
}
