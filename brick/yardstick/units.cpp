#include "units.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>

namespace yardstick {
namespace {

struct Unit {
    std::string_view name;
    double factor;
};

constexpr std::array kTimes = {Unit{"ns", 1}, Unit{"us", 1e3}, Unit{"ms", 1e6}, Unit{"s", 1e9}};
constexpr std::array kSizes = {Unit{"", 1}, Unit{"B", 1}, Unit{"KiB", 1024}, Unit{"MiB", 1 << 20}};

constexpr double kMostNanoseconds = 3600e9;
constexpr double kMostBytes = 1 << 30;

/// A number with a unit, in the unit that has factor 1; nothing if it is invalid.
template <std::size_t n>
std::optional<double> with_unit(std::string_view text, const std::array<Unit, n>& units) {
    double value = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
    if (error != std::errc{} || !std::isfinite(value) || std::signbit(value)) return std::nullopt;
    const std::string_view rest(end, static_cast<std::size_t>(text.end() - end));
    for (const Unit& unit : units) {
        if (rest == unit.name) return value * unit.factor;
    }
    return std::nullopt;
}

[[noreturn]] void refuse(std::string_view text, std::string_view what, std::string_view right) {
    std::string message;
    message.append("\"").append(text).append("\" is ").append(what).append("; it takes ");
    throw std::invalid_argument(message.append(right));
}

}  // namespace

std::chrono::nanoseconds duration(std::string_view text) {
    const std::optional<double> value = with_unit(text, kTimes);
    if (!value) refuse(text, "no duration", "a number and ns, us, ms or s, like 5ms");
    if (*value > kMostNanoseconds) refuse(text, "too long", "an hour at most, 3600s");
    return std::chrono::nanoseconds(std::llround(*value));
}

std::size_t size_bytes(std::string_view text) {
    const std::optional<double> value = with_unit(text, kSizes);
    if (!value || *value != std::floor(*value)) {
        refuse(text, "no size", "whole bytes, as a number alone or with KiB or MiB, like 16KiB");
    }
    if (*value > kMostBytes) refuse(text, "too large", "1024MiB at most");
    return static_cast<std::size_t>(*value);
}

std::uint64_t number(std::string_view text, std::uint64_t least, std::uint64_t most) {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.begin(), text.end(), value);
    if (error != std::errc{} || end != text.end() || value < least || value > most) {
        refuse(text, "not in range",
               "a whole number from " + std::to_string(least) + " to " + std::to_string(most));
    }
    return value;
}

}  // namespace yardstick
