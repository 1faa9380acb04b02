#include "events.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include <brick/request.hpp>

#include "units.hpp"

namespace yardstick {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::nanoseconds;

constexpr std::uint64_t kMostEvents = 1'000'000'000;
constexpr std::size_t kMostAtOnce = 64 * 1024;  // Bytes; the client may be gone before the rest.

constexpr std::array<std::pair<std::string_view, Lie>, 9> kLies = {{
    {"stop", Lie::stop},
    {"hang", Lie::hang},
    {"reset", Lie::reset},
    {"comments", Lie::comments},
    {"twice", Lie::twice},
    {"drop", Lie::drop},
    {"swap", Lie::swap},
    {"alter", Lie::alter},
    {"half", Lie::half},
}};

Lie lie_named(std::string_view name) {
    std::string known;
    for (const auto& [each, lie] : kLies) {
        if (each == name) return lie;
        known.append(known.empty() ? "" : ", ").append(each);
    }
    throw std::invalid_argument("\"" + std::string(name) + "\" is unknown; it takes " + known);
}

void set(Script& script, std::string_view name, std::string_view value) {
    if (name == "events") {
        script.events = number(value, 1, kMostEvents);
    } else if (name == "bytes") {
        script.bytes = size_bytes(value);
    } else if (name == "first") {
        script.first = duration(value);
    } else if (name == "gap") {
        script.gap = duration(value);
    } else if (name == "jitter") {
        script.jitter = duration(value);
    } else if (name == "seed") {
        script.seed = number(value, 0, UINT64_MAX);
    } else if (name == "clump") {
        script.clump = number(value, 1, kMostEvents);
    } else if (name == "lie") {
        script.lie = lie_named(value);
    } else if (name == "at") {
        script.at = number(value, 1, kMostEvents);
    } else if (name == "type") {
        script.type = value;
    } else {
        throw std::invalid_argument("there is no such parameter; see brick-yardstick --help");
    }
}

/// Sebastiano Vigna's SplitMix64: eight bytes of state, for thousands of streams at once.
std::uint64_t next_random(std::uint64_t& state) noexcept {
    state += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31U);
}

class Stream {
public:
    Stream(Script script, nanoseconds hold)
        : script_(std::move(script)),
          random_(script_.seed),
          due_(Clock::now() + hold + script_.first) {}

    brick::Next operator()(std::string& out) {
        const Clock::time_point now = Clock::now();
        while (event_ <= last() && due_ <= now && out.size() + held_.size() < kMostAtOnce) {
            if (event_ == script_.at) {
                if (script_.lie == Lie::reset) {
                    // A reset discards unsent bytes, so earlier events leave first, even late ones.
                    if (!out.empty()) break;
                    throw std::runtime_error("as the script says");
                }
                if (script_.lie == Lie::stop) return false;
                if (script_.lie == Lie::hang) return std::chrono::minutes(1);
            }
            write_event();
            if (event_ % script_.clump == 0 || event_ >= script_.events) {
                out += std::exchange(held_, {});
            }
            if (event_++ == last()) return false;
            due_ += gap();
        }
        return std::max(due_ - now, nanoseconds(1));
    }

private:
    /// A chat ends with one more event, which has no text.
    [[nodiscard]] std::uint64_t last() const noexcept {
        return script_.events + (script_.is_chat ? 1 : 0);
    }

    [[nodiscard]] nanoseconds gap() noexcept {
        if (script_.jitter.count() == 0) return script_.gap;
        const auto width = static_cast<std::uint64_t>(2 * script_.jitter.count() + 1);
        const auto more = static_cast<std::int64_t>(next_random(random_) % width);
        return script_.gap - script_.jitter + nanoseconds(more);
    }

    void write_event() {
        const bool is_here = event_ == script_.at;
        const bool is_behind = event_ == script_.at + 1;
        switch (script_.lie) {
            case Lie::comments:
                held_ += ": nothing yet\n\n";
                return;
            case Lie::drop:
                if (!is_here) append(event_);
                return;
            case Lie::twice:
                if (is_here) append(event_);
                break;
            case Lie::swap:
                if (is_here) return append(event_ + 1);
                if (is_behind) return append(event_ - 1);
                break;
            default:
                break;
        }
        append(event_);
    }

    void append(std::uint64_t event) {
        if (script_.is_chat) return append_chat(event);
        held_ += "id: " + std::to_string(event) + "\ndata: " + text(event) + "\n\n";
    }

    void append_chat(std::uint64_t event) {
        const bool is_end = event > script_.events;
        held_ +=
            R"(data: {"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,)"
            R"("model":"scripted","choices":[{"index":0,"delta":{)";
        if (event == 1) held_ += R"("role":"assistant",)";
        if (!is_end) held_ += R"("content":")" + text(event) + '"';
        held_ += is_end ? R"(},"finish_reason":"stop"}]})" : R"(},"finish_reason":null}]})";
        held_ += is_end ? "\n\ndata: [DONE]\n\n" : "\n\n";
    }

    /// The event's number, repeated: no two are alike, and each one's right value is known.
    [[nodiscard]] std::string text(std::uint64_t event) const {
        const std::string word = std::to_string(event) + ' ';
        std::string whole;
        while (whole.size() < script_.bytes) whole.append(word, 0, script_.bytes - whole.size());
        if (event == script_.at && !whole.empty()) {
            if (script_.lie == Lie::alter) whole.back() = '!';
            if (script_.lie == Lie::half) whole.back() = '\xE2';  // A character's first byte alone.
        }
        return whole;
    }

    Script script_;
    std::uint64_t random_;
    std::uint64_t event_ = 1;  // The next event.
    Clock::time_point due_;    // Its time.
    std::string held_;
};

}  // namespace

Script parse_script(std::string_view query, bool is_chat) {
    Script script;
    script.is_chat = is_chat;
    while (!query.empty()) {
        const std::string_view pair = query.substr(0, query.find('&'));
        query.remove_prefix(pair.size() < query.size() ? pair.size() + 1 : pair.size());
        const std::size_t equals = pair.find('=');
        if (equals == std::string_view::npos) {
            throw std::invalid_argument(std::string(pair) + ": a parameter is name=value");
        }
        const std::string name(pair.substr(0, equals));
        try {
            const auto value = brick::percent_decoded(pair.substr(equals + 1));
            if (!value) throw std::invalid_argument("has a % without two digits behind it");
            set(script, name, *value);
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument(name + ": " + error.what());
        }
    }
    if (script.jitter > script.gap) throw std::invalid_argument("jitter is longer than the gap");
    if (script.at > 0 && script.lie == Lie::none) {
        throw std::invalid_argument("at is where a lie is told: it needs lie=");
    }
    if (script.at == 0) script.at = script.events / 2 + 1;
    return script;
}

brick::Source play(Script script, nanoseconds hold) { return Stream(std::move(script), hold); }

}  // namespace yardstick
