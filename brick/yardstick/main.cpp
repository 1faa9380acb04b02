#include <cstdio>
#include <exception>
#include <stdexcept>

#include <brick/brick.hpp>

#include "behaviour.hpp"
#include "null.hpp"
#include "options.hpp"
#include "where.hpp"

namespace {

void run(const yardstick::Options& options) {
    yardstick::Behaviour behaviour(options);
    brick::Server server(yardstick::server_options(options));
    behaviour.serve(server);
    server.stop_on_signal();
    yardstick::say_where(options, server.port(), server.io());
    server.run_until_signal();
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const yardstick::Options options =
            yardstick::parse_options({argv + 1, static_cast<std::size_t>(argc - 1)});
        if (options.help) {
            std::fputs(yardstick::help().data(), stdout);
        } else if (options.null) {
            yardstick::run_null(options);
        } else {
            run(options);
        }
        return 0;
    } catch (const std::invalid_argument& error) {
        std::fprintf(stderr, "brick-yardstick: %s\n", error.what());
        return 2;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "brick-yardstick: %s\n", error.what());
        return 1;
    }
}
