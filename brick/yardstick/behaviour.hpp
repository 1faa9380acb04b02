/// The yardstick's behaviour for a request.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <brick/brick.hpp>

#include "causes.hpp"
#include "options.hpp"
#include "queue.hpp"
#include "stalls.hpp"

namespace yardstick {

/// Serves each request by the options. For any number of threads, but with a queue for one.
class Behaviour {
public:
    /// Throws std::system_error if the log of the stalls cannot be written.
    explicit Behaviour(const Options& options);

    /// Sets the routes; they refer to this object.
    void serve(brick::Server& server);

private:
    /// Performs the work before an answer, on this thread.
    void work_first();
    [[nodiscard]] brick::Response answer(std::shared_ptr<const std::string> body);
    [[nodiscard]] brick::Response stream(std::string_view query, bool is_chat);
    [[nodiscard]] std::chrono::nanoseconds hold();
    [[nodiscard]] bool is_plain() const noexcept;

    Options options_;
    std::shared_ptr<const std::string> body_;
    std::optional<Stalls> stalls_;
    std::optional<Queue> queue_;
    std::optional<Planted> planted_;
    std::atomic<std::uint64_t> requests_{0};
};

}  // namespace yardstick
