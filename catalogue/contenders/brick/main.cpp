#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <brick/brick.hpp>

namespace {

/// C++ has no serialiser of its own: appends `text` as a JSON string.
void append_json(std::string& out, std::string_view text) {
    out += '"';
    for (const char each : text) {
        if (static_cast<unsigned char>(each) < 0x20) {
            constexpr char kDigits[] = "0123456789abcdef";
            out += "\\u00";
            out += kDigits[each >> 4];
            out += kDigits[each & 15];
        } else {
            if (each == '"' || each == '\\') out += '\\';
            out += each;
        }
    }
    out += '"';
}

brick::Response fill_buffer(const brick::Request&) {
    std::string body = "{\"result\":";
    append_json(body, "Hello world");
    body += '}';
    return brick::Response(200, "application/json", std::move(body));
}

brick::Response echo(const brick::Request& request) {
    return brick::Response(200, "text/plain", std::string(request.body));
}

/// The number in an environment variable; `otherwise` where it isn't set. Throws
/// std::invalid_argument for anything but a number of 1 to 65535.
std::uint16_t number(const char* variable, std::uint16_t otherwise) {
    const char* const text = std::getenv(variable);
    if (text == nullptr) return otherwise;
    const std::string_view digits(text);
    std::uint16_t value = 0;
    const auto [end, error] = std::from_chars(digits.begin(), digits.end(), value);
    if (error != std::errc{} || end != digits.end() || value == 0) {
        throw std::invalid_argument(std::string(variable) + " is \"" + text +
                                    "\"; it takes a number from 1 to 65535");
    }
    return value;
}

brick::Options options_from_environment() {
    brick::Options options;
    if (const char* const host = std::getenv("HOST")) options.host = host;
    options.port = number("PORT", 8080);
    options.threads = number("WORKERS", 1);
    // A load that rotates leaves connections alone for minutes.
    options.limits.idle_timeout = std::chrono::seconds(300);
    // Autobahn's test suite sends as much in one message.
    options.limits.message_bytes = 16 * 1024 * 1024;
    // Messages of 64 KiB come in half as many pieces; short ones cost the same.
    options.tuning.receive_bytes = 4096;
    return options;
}

/// The version, and what the server waits with on this machine.
void print_version() {
    brick::Server server({.port = 0});
    server.listen();
    std::printf("brick %s, %s\n", BRICK_VERSION,
                server.io() == brick::Io::uring ? "io_uring" : "epoll");
}

}  // namespace

int main(int argc, char** argv) try {
    if (argc > 1 && std::string_view(argv[1]) == "--version") {
        print_version();
        return 0;
    }
    brick::Server server(options_from_environment());
    server.get("/", brick::Fixed(200, "text/plain", "Hello, World!"))
        .get("/empty", brick::Fixed(200, "", ""))
        .get("/fillbuffer", fill_buffer)
        .post("/echo", echo)
        .get("/ws",
             brick::WebSocket([](const brick::WebSocket::Message& message,
                                 brick::WebSocket::Replies& replies) { replies.send(message); }));
    server.run_until_signal();
} catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
}
