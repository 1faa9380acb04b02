/// The bytes that a connection still has to send, in memory that is borrowed until they are sent.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "http/editions.hpp"

namespace brick::http {

/// Chunks of memory for the connections of one thread: taken when there are bytes to send, given
/// back when they are sent. The last chunk given back is the first one taken, so that they stay in
/// cache.
class Pool {
public:
    static constexpr std::size_t kChunkBytes = 2048;

    Pool() = default;
    Pool(const Pool&) = delete;
    Pool& operator=(const Pool&) = delete;
    ~Pool();

    [[nodiscard]] char* take();
    void give(char* chunk) noexcept;

    /// Frees the chunks that were unused since the last call.
    void trim() noexcept;

private:
    std::vector<char*> free_;
    std::size_t chunks_ = 0;      // Lent or free.
    std::size_t least_free_ = 0;  // Since the last trim.
};

/// Bytes in the order in which they have to leave. The result of `next` stays in place until `sent`
/// has counted all of it, whatever is appended meanwhile: the kernel may still read it. A fixed
/// answer that leaves alone is sent from its place; together with others, if it is small, it
/// becomes a part of one send.
class Output {
public:
    /// Bytes in a chunk of a pool, or in memory of their own if they are more.
    struct Buffer {
        char* data = nullptr;
        std::size_t end = 0;
        std::size_t capacity = 0;

        /// Room for `bytes` more after the end.
        [[nodiscard]] char* room(Pool& pool, std::size_t bytes);
        void free(Pool& pool) noexcept;
    };

    [[nodiscard]] std::size_t unsent() const noexcept {
        return sending_.end - sent_ + filling_.end;
    }

    /// Room for `bytes` at the end; `commit` says how many of them were written.
    [[nodiscard]] char* room(Pool& pool, std::size_t bytes);
    void commit(std::size_t bytes) noexcept { filling_.end += bytes; }
    void append(Pool& pool, std::string_view bytes);

    /// Appends a buffer, which is empty then: without a copy if it is the next to be sent.
    void adopt(Pool& pool, Buffer& buffer);

    /// Appends the first `bytes` of a fixed answer.
    void append(Pool& pool, Edition& edition, std::size_t bytes);

    /// The bytes to send next: empty only when all are sent.
    [[nodiscard]] std::string_view next() noexcept;
    void sent(Pool& pool, std::size_t bytes) noexcept;

    /// Drops all bytes. None may be in transit.
    void clear(Pool& pool) noexcept;

private:
    void copy_borrowed(Pool& pool);
    void drop_sending(Pool& pool) noexcept;

    // Whether the borrowed bytes may still be copied: they were not given out, and they are few.
    [[nodiscard]] bool is_movable() const noexcept {
        return borrowed_ != nullptr && sending_.capacity != 0;
    }

    Buffer sending_;
    Buffer filling_;
    std::size_t sent_ = 0;         // Sent bytes of `sending_`.
    Edition* borrowed_ = nullptr;  // `sending_` is a part of it.
};

}  // namespace brick::http
