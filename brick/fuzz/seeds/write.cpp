/// Writes the fuzzers' seeds: each case of the tests' tables becomes a file, in a folder for each
/// fuzzer within the given folder.
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "http/chunked_cases.hpp"
#include "http/conversation_inputs.hpp"
#include "http/head_cases.hpp"
#include "ws/echo_inputs.hpp"

namespace {

namespace fs = std::filesystem;

std::string_view bytes_of(const std::string& text) { return text; }
template <typename Case>
std::string_view bytes_of(const Case& one) {
    return one.bytes;
}

/// The bytes that a fuzzer uses for itself come first.
template <typename Cases>
void write(const Cases& cases, const fs::path& folder, std::string_view first) {
    fs::create_directories(folder);
    for (std::size_t n = 0; n < cases.size(); ++n) {
        std::ofstream file;
        file.exceptions(std::ios::failbit | std::ios::badbit);
        file.open(folder / std::to_string(n), std::ios::binary);
        file << first << bytes_of(cases[n]);
    }
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) {
        std::fputs("write-seeds: give it one folder to write to\n", stderr);
        return 2;
    }
    try {
        const fs::path folder = arguments[1];
        write(brick::http::testing::head_cases(), folder / "head", {"\x80\x00", 2});
        write(brick::http::testing::chunked_cases(), folder / "chunked", "\xff\x40");
        write(brick::ws::testing::echo_inputs(), folder / "websocket", "\xff\xff");
        // No event, and then the text.
        const auto inputs = brick::testing::conversation_inputs();
        write(inputs, folder / "conversation", {"\0", 1});
        // Four events: a client comes, and sends the text in pieces of 255 bytes.
        constexpr std::string_view kPieces{"\4\0\377\0\1\377\0\1\377\0\1\377\0", 13};
        write(inputs, folder / "server-epoll", kPieces);
        write(inputs, folder / "server-uring", kPieces);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "write-seeds: can't write to %s: %s\n", arguments[1], failure.what());
        return 1;
    }
}
