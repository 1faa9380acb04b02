#include "where.hpp"

#include <chrono>
#include <cstdio>
#include <string>

namespace yardstick {

brick::Options server_options(const Options& options) {
    brick::Options mine;
    mine.host = options.host;
    mine.port = options.port;
    mine.threads = options.threads;
    mine.io = options.io;
    mine.limits.idle_timeout = std::chrono::hours(1);    // A load may leave connections alone.
    mine.limits.stop_timeout = std::chrono::seconds(2);  // A stream may have no end.
    return mine;
}

void say_where(const Options& options, std::uint16_t port, brick::Io io) {
    if (options.quiet) return;
    const bool is_v6 = options.host.find(':') != std::string::npos;
    const std::string host = is_v6 ? "[" + options.host + "]" : options.host;
    std::printf("http://%s:%u/ by %s, threads: %u\n", host.c_str(), unsigned{port},
                io == brick::Io::uring ? "io_uring" : "epoll", options.threads);
    std::fflush(stdout);  // The parent may read from a pipe.
}

}  // namespace yardstick
