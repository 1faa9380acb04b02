/// Fixed answers as one thread sends them: with this second's Date, from one place for all
/// connections.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "http/render.hpp"

namespace brick::http {

/// A fixed answer with a Date. Connections borrow it to send it: until then it stays unchanged.
class Edition {
public:
    [[nodiscard]] std::string_view bytes() const noexcept { return bytes_; }

    void borrow() noexcept { ++borrowers_; }

    /// Ends one loan. The last one deletes an edition that is no longer current.
    void give_back() noexcept {
        if (--borrowers_ == 0 && !is_current_) delete this;
    }

private:
    friend class Editions;

    std::string bytes_;
    std::time_t second_ = 0;
    std::size_t borrowers_ = 0;
    bool is_current_ = true;
};

/// The current editions of one thread. All have to be given back before it is destroyed.
class Editions {
public:
    Editions() = default;
    Editions(const Editions&) = delete;
    Editions& operator=(const Editions&) = delete;
    ~Editions();

    /// `answer`, which outlives this, for such a connection. An edition of another second that is
    /// not borrowed gets the new Date; a borrowed one is replaced. Throws std::bad_alloc.
    [[nodiscard]] Edition& current(const Rendered& answer, Connection connection,
                                   const Date& date) {
        const std::size_t at = 3 * answer.number() + static_cast<std::size_t>(connection);
        if (at < current_.size() && current_[at] != nullptr &&
            current_[at]->second_ == date.second()) [[likely]] {
            return *current_[at];
        }
        return renewed(at, answer, connection, date);
    }

private:
    Edition& renewed(std::size_t at, const Rendered& answer, Connection connection,
                     const Date& date);

    std::vector<Edition*> current_;
};

}  // namespace brick::http
