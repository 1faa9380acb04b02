/// brick-conformance-server: the server that the table expects, on the brick's public API.

#include <charconv>
#include <exception>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "service.hpp"

namespace {

constexpr std::string_view kUsage =
    "usage: brick-conformance-server [--port PORT] [--io automatic|epoll|uring] [--log FILE]\n"
    "\n"
    "Serves what brick-conformance asks for, on 127.0.0.1. Says where once it listens.\n"
    "  --port PORT  8080 if not given; 0 takes a free one\n"
    "  --io IO      how it waits for the kernel; automatic if not given\n"
    "  --log FILE   appends a line for each request: method, target and bytes of its body. All\n"
    "               paths are answered by handlers then, and those that aren't there are logged.\n";

struct Asked {
    brick::Options options;
    std::string log;
};

std::uint16_t parse_port(const std::string& text) {
    std::uint16_t port = 0;
    const char* const end = text.data() + text.size();
    const auto [stopped, error] = std::from_chars(text.data(), end, port);
    if (error != std::errc() || stopped != end) {
        throw std::invalid_argument("--port: '" + text + "' is no number from 0 to 65535");
    }
    return port;
}

brick::Io parse_io(const std::string& text) {
    if (text == "automatic") return brick::Io::automatic;
    if (text == "epoll") return brick::Io::epoll;
    if (text == "uring") return brick::Io::uring;
    throw std::invalid_argument("--io: '" + text + "' is none of automatic, epoll, uring");
}

Asked parse(const std::vector<std::string>& words) {
    Asked asked;
    for (std::size_t i = 0; i < words.size(); i += 2) {
        const auto& word = words[i];
        if (word != "--port" && word != "--io" && word != "--log") {
            throw std::invalid_argument("unknown option: " + word);
        }
        if (i + 1 == words.size()) throw std::invalid_argument(word + " wants a value");
        if (word == "--port") asked.options.port = parse_port(words[i + 1]);
        if (word == "--io") asked.options.io = parse_io(words[i + 1]);
        if (word == "--log") asked.log = words[i + 1];
    }
    return asked;
}

void run(const Asked& asked) {
    const auto log =
        asked.log.empty() ? nullptr : std::make_unique<brick::conformance::Log>(asked.log);
    brick::Server server(asked.options);
    brick::conformance::serve(server, log.get());
    server.stop_on_signal();
    std::cout << "http://" << asked.options.host << ':' << server.port() << "/ by "
              << (server.io() == brick::Io::uring ? "io_uring" : "epoll") << std::endl;
    server.run_until_signal();
}

}  // namespace

int main(int count, char** words) {
    try {
        run(parse({words + 1, words + count}));
        return 0;
    } catch (const std::invalid_argument& error) {
        std::cerr << "brick-conformance-server: " << error.what() << "\n\n" << kUsage;
        return 2;
    } catch (const std::exception& error) {
        std::cerr << "brick-conformance-server: " << error.what() << '\n';
        return 1;
    }
}
