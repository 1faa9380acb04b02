/// The connections of one thread.
#pragma once

#include <sys/mman.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <utility>
#include <vector>

#include "net/listener.hpp"
#include "net/timers.hpp"

namespace brick::net {

/// A connection: its conversation, its socket, and its reactor's notes about both.
template <class Talk>
struct Session {
    std::optional<Talk> talk;  // Empty if the slot is free.
    Descriptor socket;
    Ticket ticket;
    bool is_readable = false;    // epoll: reading may give something.
    bool is_writable = true;     // epoll: the last write wasn't cut short.
    bool is_hung_up = false;     // epoll: the client ended its side: read to the end.
    bool is_new = true;          // io_uring: nothing was received yet.
    bool is_receiving = false;   // io_uring: a receive is armed.
    bool is_cancelling = false;  // io_uring: that receive is being cancelled.
    bool is_sending = false;     // io_uring: a send is pending.
    bool is_queued = false;      // It is on its reactor's list of work.
    bool is_shut = false;        // Our side is shut.
    bool is_dying = false;       // io_uring: freed as soon as the kernel releases it.
};

/// Sessions lie in slabs that go back to the system when all of them are free, so that a peak of
/// connections leaves nothing behind. Slots are reused, the last freed first; tickets never are.
template <class Talk>
class Sessions {
public:
    /// `open` counts the sessions of all threads.
    explicit Sessions(std::atomic<std::size_t>& open) noexcept : open_(open) {}
    Sessions(const Sessions&) = delete;
    Sessions& operator=(const Sessions&) = delete;

    /// Throws std::bad_alloc.
    Session<Talk>& add(Descriptor socket, typename Talk::Service& service) {
        if (free_.empty()) add_slab();
        const std::uint32_t slot = free_.back();
        Session<Talk>& session = at(slot);
        session.talk.emplace(service);
        free_.pop_back();
        session.socket = std::move(socket);
        session.ticket = {slot, next_generation_++ & kGenerationMask};
        ++count_;
        open_.fetch_add(1, std::memory_order_relaxed);
        return session;
    }

    /// Closes its socket, gives its memory back, and makes its ticket void.
    void remove(Session<Talk>& session, typename Talk::Service& service) noexcept {
        const std::uint32_t slot = session.ticket.slot;
        session.talk->release(service);
        session = {};
        session.ticket = {slot, kNobody};
        free_.push_back(slot);
        --count_;
        open_.fetch_sub(1, std::memory_order_relaxed);
    }

    /// Null when the connection is gone.
    [[nodiscard]] Session<Talk>* find(Ticket ticket) noexcept {
        if (ticket.slot >= slabs_.size() * kSlabSlots) return nullptr;
        Session<Talk>& session = at(ticket.slot);
        return session.talk && session.ticket.generation == ticket.generation ? &session : nullptr;
    }

    [[nodiscard]] std::size_t count() const noexcept { return count_; }

    /// The number of all threads' sessions.
    [[nodiscard]] std::size_t open() const noexcept {
        return open_.load(std::memory_order_relaxed);
    }

    /// Calls `visit` for each session; it may remove the one that it gets.
    template <class Visit>
    void each(Visit&& visit) {
        for (std::uint32_t slot = 0; slot < slabs_.size() * kSlabSlots; ++slot) {
            if (Session<Talk>& session = at(slot); session.talk) visit(session);
        }
    }

    /// Gives the memory of all slabs back if no session is left; returns how many there were.
    std::size_t trim() noexcept {
        if (count_ > 0) return 0;
        std::vector<std::uint32_t>().swap(free_);
        return std::exchange(slabs_, {}).size();
    }

    /// Forgets all sessions and leaves their memory and their sockets as they are.
    void abandon() noexcept {
        for (Slab& slab : slabs_) slab.sessions = nullptr;
        slabs_.clear();
        free_.clear();
        open_.fetch_sub(std::exchange(count_, 0), std::memory_order_relaxed);
    }

    static constexpr std::uint32_t kGenerationMask = (1U << 24U) - 1;

private:
    static constexpr std::size_t kSlabSlots = 256;
    static constexpr std::uint32_t kNobody = kGenerationMask + 1;

    // Separate pages: the heap would keep memory that is freed in its middle.
    struct Slab {
        Slab() {
            void* memory =
                mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            if (memory == MAP_FAILED) throw std::bad_alloc();
            sessions = static_cast<Session<Talk>*>(memory);
            std::uninitialized_default_construct_n(sessions, kSlabSlots);
        }
        Slab(Slab&& other) noexcept : sessions(std::exchange(other.sessions, nullptr)) {}
        Slab& operator=(Slab&&) = delete;
        ~Slab() {
            if (sessions == nullptr) return;
            std::destroy_n(sessions, kSlabSlots);
            munmap(sessions, kBytes);
        }

        static constexpr std::size_t kBytes = kSlabSlots * sizeof(Session<Talk>);
        Session<Talk>* sessions;
    };

    [[nodiscard]] Session<Talk>& at(std::uint32_t slot) noexcept {
        return slabs_[slot / kSlabSlots].sessions[slot % kSlabSlots];
    }

    void add_slab() {
        const auto first = static_cast<std::uint32_t>(slabs_.size() * kSlabSlots);
        free_.reserve(first + kSlabSlots);  // So that freeing a slot can't fail.
        slabs_.emplace_back();
        for (std::uint32_t slot = first + kSlabSlots; slot > first; --slot) {
            at(slot - 1).ticket = {slot - 1, kNobody};
            free_.push_back(slot - 1);
        }
    }

    std::vector<Slab> slabs_;
    std::vector<std::uint32_t> free_;
    std::atomic<std::size_t>& open_;
    std::size_t count_ = 0;
    std::uint32_t next_generation_ = 0;
};

}  // namespace brick::net
