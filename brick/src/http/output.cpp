#include "http/output.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace brick::http {
namespace {

char* allocate(std::size_t bytes) {
    if (auto* memory = static_cast<char*>(std::malloc(bytes))) return memory;
    throw std::bad_alloc();
}

}  // namespace

Pool::~Pool() {
    for (char* chunk : free_) std::free(chunk);
}

char* Pool::take() {
    if (free_.empty()) {
        // Room in the list for each chunk is reserved here, so that giving one back cannot fail.
        if (++chunks_ > free_.capacity()) free_.reserve(2 * chunks_);
        return allocate(kChunkBytes);
    }
    char* chunk = free_.back();
    free_.pop_back();
    least_free_ = std::min(least_free_, free_.size());
    return chunk;
}

void Pool::give(char* chunk) noexcept { free_.push_back(chunk); }

void Pool::trim() noexcept {
    // The chunks at the bottom were not needed since the last call.
    const auto unused = static_cast<std::ptrdiff_t>(least_free_);
    std::for_each(free_.begin(), free_.begin() + unused, std::free);
    free_.erase(free_.begin(), free_.begin() + unused);
    chunks_ -= least_free_;
    least_free_ = free_.size();
}

void Output::Buffer::free(Pool& pool) noexcept {
    if (data == nullptr) return;
    if (capacity == Pool::kChunkBytes) {
        pool.give(data);
    } else {
        std::free(data);
    }
    *this = {};
}

char* Output::Buffer::room(Pool& pool, std::size_t bytes) {
    const std::size_t needed = end + bytes;
    if (needed <= capacity) return data + end;
    if (needed <= Pool::kChunkBytes) {
        *this = {pool.take(), 0, Pool::kChunkBytes};
        return data;
    }
    Buffer larger{allocate(std::bit_ceil(needed)), end, std::bit_ceil(needed)};
    if (end > 0) std::memcpy(larger.data, data, end);
    free(pool);
    *this = larger;
    return data + end;
}

char* Output::room(Pool& pool, std::size_t bytes) {
    if (is_movable()) copy_borrowed(pool);
    return filling_.room(pool, bytes);
}

void Output::append(Pool& pool, std::string_view bytes) {
    if (bytes.empty()) return;
    std::memcpy(room(pool, bytes.size()), bytes.data(), bytes.size());
    commit(bytes.size());
}

void Output::adopt(Pool& pool, Buffer& buffer) {
    if (is_movable() || filling_.end > 0) {
        append(pool, {buffer.data, buffer.end});
    } else {
        std::swap(filling_, buffer);
    }
    buffer.free(pool);
}

void Output::append(Pool& pool, Edition& edition, std::size_t bytes) {
    if (unsent() > 0) return append(pool, edition.bytes().substr(0, bytes));
    edition.borrow();
    borrowed_ = &edition;
    // Its capacity only shows whether it may still be copied. Its bytes are only read.
    sending_ = {const_cast<char*>(edition.bytes().data()), bytes,
                std::size_t{bytes <= Pool::kChunkBytes / 2}};
}

// Further bytes follow before it was sent: both leave together.
void Output::copy_borrowed(Pool& pool) {
    const std::string_view bytes(sending_.data, sending_.end);
    sending_.capacity = 0;
    append(pool, bytes);
    borrowed_->give_back();
    borrowed_ = nullptr;
    sending_ = {};
}

std::string_view Output::next() noexcept {
    if (borrowed_ != nullptr) sending_.capacity = 0;
    if (sent_ == sending_.end && filling_.end > 0) std::swap(sending_, filling_);
    return {sending_.data + sent_, sending_.end - sent_};
}

void Output::sent(Pool& pool, std::size_t bytes) noexcept {
    sent_ += bytes;
    if (sent_ < sending_.end) return;
    drop_sending(pool);
}

void Output::clear(Pool& pool) noexcept {
    if (sending_.data != nullptr) drop_sending(pool);
    filling_.free(pool);
}

void Output::drop_sending(Pool& pool) noexcept {
    sent_ = 0;
    if (borrowed_ == nullptr) return sending_.free(pool);
    sending_ = {};
    std::exchange(borrowed_, nullptr)->give_back();
}

}  // namespace brick::http
