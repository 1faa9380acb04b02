/// What a connection has still to send, in memory that is borrowed only for so long.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "http/editions.hpp"

namespace brick::http {

/// Chunks of memory for the connections of one thread: taken when there is something to send,
/// given back when it is sent, the last one given the first one taken, so that they stay in cache.
class Pool {
public:
    static constexpr std::size_t kChunkBytes = 2048;

    Pool() = default;
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool();

    [[nodiscard]] char* take();
    void give(char* chunk) noexcept;

    /// Frees the chunks that lay unused since the last call.
    void trim() noexcept;

private:
    std::vector<char*> free_;
    std::size_t chunks_ = 0;      // Lent or free.
    std::size_t least_free_ = 0;  // Since the last trim.
};

/// Bytes in the order in which they have to leave. What `next` returned stays in place until
/// `sent` has counted all of it, whatever is appended meanwhile: the kernel may still read it.
/// A fixed answer that leaves alone is sent from where it lies; with others, as long as it is
/// small, it becomes a part of one send.
class Output {
public:
    [[nodiscard]] std::size_t unsent() const noexcept {
        return sending_.end - sent_ + filling_.end;
    }

    /// Room for `bytes` at the end; `commit` says how many of them were written.
    [[nodiscard]] char* room(Pool& pool, std::size_t bytes);
    void commit(std::size_t bytes) noexcept { filling_.end += bytes; }
    void append(Pool& pool, std::string_view bytes);

    /// The first `bytes` of a fixed answer.
    void append(Pool& pool, Edition& edition, std::size_t bytes);

    /// The bytes to send next: nothing only when all is sent.
    [[nodiscard]] std::string_view next() noexcept;
    void sent(Pool& pool, std::size_t bytes) noexcept;

    /// Drops all. Nothing may be on its way.
    void clear(Pool& pool) noexcept;

private:
    struct Buffer {
        char* data = nullptr;
        std::size_t end = 0;
        std::size_t capacity = 0;

        void free(Pool& pool) noexcept;
    };

    void copy_borrowed(Pool& pool);
    void drop_sending(Pool& pool) noexcept;

    // Whether what is borrowed may still be copied: nobody was told of it, and it is small.
    [[nodiscard]] bool is_movable() const noexcept {
        return borrowed_ != nullptr && sending_.capacity != 0;
    }

    Buffer sending_;
    Buffer filling_;
    std::size_t sent_ = 0;         // Of `sending_`.
    Edition* borrowed_ = nullptr;  // What `sending_` is a part of.
};

}  // namespace brick::http
