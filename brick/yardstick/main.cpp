#include <cstdio>
#include <exception>
#include <stdexcept>

#include <brick/brick.hpp>

#include "behaviour.hpp"
#include "options.hpp"

namespace {

brick::Options server_options(const yardstick::Options& options) {
    brick::Options mine;
    mine.host = options.host;
    mine.port = options.port;
    mine.threads = options.threads;
    mine.io = options.io;
    mine.limits.idle_timeout = std::chrono::hours(1);  // A load may leave connections alone.
    return mine;
}

void say_where(const yardstick::Options& options, const brick::Server& server) {
    if (options.quiet) return;
    const bool v6 = options.host.find(':') != std::string::npos;
    std::printf("http://%s%s%s:%u/ by %s, threads: %u\n", v6 ? "[" : "", options.host.c_str(),
                v6 ? "]" : "", unsigned{server.port()},
                server.io() == brick::Io::uring ? "io_uring" : "epoll", options.threads);
    std::fflush(stdout);  // Who started us may read from a pipe.
}

void run(const yardstick::Options& options) {
    yardstick::Behaviour behaviour(options);
    brick::Server server(server_options(options));
    behaviour.serve(server);
    server.listen();
    say_where(options, server);
    server.run_until_signal();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const yardstick::Options options =
            yardstick::parse_options({argv + 1, static_cast<std::size_t>(argc - 1)});
        if (options.help) {
            std::fputs(yardstick::help().data(), stdout);
            return 0;
        }
        run(options);
        return 0;
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr, "brick-yardstick: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "brick-yardstick: %s\n", error.what());
        return 1;
    }
}
