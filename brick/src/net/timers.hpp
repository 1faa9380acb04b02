/// Due times, for the few connections that pause.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <vector>

namespace brick::net {

using Moment = std::chrono::steady_clock::time_point;

/// Names a connection until it is closed: a later one in its place has another generation.
struct Ticket {
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
};

class Timers {
public:
    void add(Moment due, Ticket ticket) { queue_.push({due, ticket}); }

    /// The next due moment.
    [[nodiscard]] std::optional<Moment> next() const noexcept {
        if (queue_.empty()) return std::nullopt;
        return queue_.top().due;
    }

    /// The entries that are due at `now`, the earliest first; nothing when all others are later.
    [[nodiscard]] std::optional<Ticket> take(Moment now) {
        if (queue_.empty() || queue_.top().due > now) return std::nullopt;
        const Ticket ticket = queue_.top().ticket;
        queue_.pop();
        return ticket;
    }

private:
    struct Entry {
        Moment due;
        Ticket ticket;
        bool operator>(const Entry& other) const noexcept { return due > other.due; }
    };
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue_;
};

}  // namespace brick::net
