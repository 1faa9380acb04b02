/// Compares the decoder of chunked bodies with the grammar: any bytes, in pieces of any size.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "http/chunked.hpp"
#include "http/chunked_plainly.hpp"

namespace {

using brick::http::Chunked;
using brick::http::testing::Decoded;

void demand(bool holds) {
    if (!holds) {
        std::abort();
    }
}

/// Decodes one piece; returns false when the body is over.
bool feed(Chunked& chunked, std::string_view piece, Decoded& out) {
    while (!piece.empty()) {
        const Chunked::Step step = chunked.decode(piece);
        demand(step.consumed <= piece.size());
        demand(step.data.empty() || (step.data.data() >= piece.data() &&
                                     step.data.end() <= piece.begin() + step.consumed));
        out.data += step.data;
        out.consumed += step.consumed;
        out.refusal = step.refusal;
        if (step.state != Chunked::Step::State::more) {
            out.end = step.state == Chunked::Step::State::done ? Decoded::End::done
                                                               : Decoded::End::refused;
            return false;
        }
        demand(step.consumed > 0);
        piece.remove_prefix(step.consumed);
    }
    return true;
}

}  // namespace

/// The first byte is the size of the pieces, the second the bound; the rest is the body.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size < 2) {
        return 0;
    }
    const std::string_view bytes{reinterpret_cast<const char*>(data) + 2, size - 2};
    const std::size_t piece_bytes = data[0] + 1U;
    Chunked chunked{data[1]};
    Decoded out;
    for (std::size_t at = 0; at < bytes.size(); at += piece_bytes) {
        if (!feed(chunked, bytes.substr(at, piece_bytes), out)) {
            break;
        }
    }
    demand(out == brick::http::testing::decode_plainly(bytes, data[1]));
    return 0;
}
