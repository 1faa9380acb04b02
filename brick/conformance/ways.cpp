#include "ways.hpp"

namespace brick::conformance {
namespace {

constexpr std::size_t kAllPoints = 512;
constexpr std::size_t kLarge = 64 * 1024;

}  // namespace

Cuts points(std::size_t bytes) {
    Cuts cuts;
    if (bytes <= kAllPoints) {
        for (std::size_t at = 1; at < bytes; ++at) cuts.push_back(at);
        return cuts;
    }
    const std::size_t first = bytes > kLarge ? 8 : 192;
    const std::size_t last = bytes > kLarge ? 8 : 64;
    const std::size_t between = bytes > kLarge ? 16 : 128;
    for (std::size_t at = 1; at <= first; ++at) cuts.push_back(at);
    const std::size_t span = bytes - first - last;
    for (std::size_t i = 1; i <= between; ++i) cuts.push_back(first + span * i / (between + 1));
    for (std::size_t at = bytes - last; at < bytes; ++at) cuts.push_back(at);
    return cuts;
}

std::vector<Cuts> connections(std::size_t bytes, Way way) {
    if (way == Way::whole) return {{}};
    const Cuts cuts = points(bytes);
    if (way == Way::bytes) return {cuts};
    std::vector<Cuts> one_each;
    one_each.reserve(cuts.size());
    for (const auto at : cuts) one_each.push_back({at});
    return one_each;
}

}  // namespace brick::conformance
