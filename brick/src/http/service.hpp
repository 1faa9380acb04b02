/// The common state of all connections of one thread.
#pragma once

#include <cstdint>
#include <string>

#include <brick/options.hpp>

#include "apart.hpp"
#include "http/editions.hpp"
#include "http/head.hpp"
#include "http/output.hpp"
#include "http/routes.hpp"

namespace brick::http {

/// One per thread; its reactor sets the time and the Date. `routes` and `limits` outlive it.
struct alignas(kApart) Service {
    Service(const Routes& all_routes, const Limits& all_limits)
        : routes(all_routes), limits(all_limits) {}

    const Routes& routes;
    const Limits& limits;
    Pool pool;
    Date date;
    Editions editions;
    std::uint32_t now_s = 0;  // Monotonic, whole seconds: deadlines are no finer.
    bool stopping = false;    // Each answer from now on closes its connection.

    // Scratch memory, too large for each connection: valid within one call.
    Head head;
    Match match;
    std::string piece;
};

}  // namespace brick::http
