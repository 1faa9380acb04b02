/// The cost of parsing a head: the fast parser and the plain one, in ns a head. Each figure is the
/// best of a thousand short rounds, because other work on the machine only makes them slower. It
/// takes two seconds in all.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "http/head.hpp"
#include "http/head_plainly.hpp"

namespace {

using Clock = std::chrono::steady_clock;
using Parser = brick::http::Parsed (*)(std::string_view, const brick::Limits&, brick::http::Head&);

struct Sample {
    const char* name;
    std::string_view bytes;
};

constexpr std::array kSamples = {
    Sample{"wrk", "GET / HTTP/1.1\r\nHost: localhost:8080\r\n\r\n"},
    Sample{"curl",
           "GET /users/42?verbose=1 HTTP/1.1\r\nHost: localhost:8080\r\nUser-Agent: curl/7.88.1\r\n"
           "Accept: */*\r\n\r\n"},
    Sample{"post",
           "POST /fillbuffer HTTP/1.1\r\nHost: localhost:8080\r\nContent-Type: application/json\r\n"
           "Content-Length: 13\r\nConnection: keep-alive\r\n\r\n"},
    Sample{
        "browser",
        "GET /articles/2026/11/benchmarks?ref=front&page=2 HTTP/1.1\r\n"
        "Host: www.example.org\r\n"
        "User-Agent: Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0\r\n"
        "Accept: text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,"
        "image/png,image/svg+xml,*/*;q=0.8\r\n"
        "Accept-Language: en-GB,en;q=0.5\r\n"
        "Accept-Encoding: gzip, deflate, br, zstd\r\n"
        "Referer: https://www.example.org/\r\n"
        "Connection: keep-alive\r\n"
        "Cookie: session=3f786850e387550fdab836ed7e6dc881de23001b; theme=dark; seen=1,2,3,5,8\r\n"
        "Upgrade-Insecure-Requests: 1\r\n"
        "Sec-Fetch-Dest: document\r\n"
        "Sec-Fetch-Mode: navigate\r\n"
        "Sec-Fetch-Site: same-origin\r\n"
        "Priority: u=0, i\r\n\r\n"},
};

/// The seconds that `count` heads take.
double seconds(Parser parser, std::string_view bytes, std::size_t count) {
    const brick::Limits limits;
    static brick::http::Head head;
    const auto start = Clock::now();
    for (std::size_t n = 0; n < count; ++n) {
        if (parser(bytes, limits, head).consumed != bytes.size()) {
            std::fputs("bench-parse: a head wasn't parsed\n", stderr);
            std::exit(1);
        }
    }
    return std::chrono::duration<double>(Clock::now() - start).count();
}

double best_ns(Parser parser, std::string_view bytes) {
    constexpr double kRound_s = 0.0002;
    constexpr int kRounds = 1000;
    constexpr std::size_t kProbe = 100;
    const double probe_s = seconds(parser, bytes, kProbe);
    const auto count = 1 + static_cast<std::size_t>(kProbe * kRound_s / probe_s);
    double best = 1;
    for (int round = 0; round < kRounds; ++round) {
        best = std::min(best, seconds(parser, bytes, count) / static_cast<double>(count));
    }
    return best * 1e9;
}

}  // namespace

int main() {
    std::printf("%-10s%8s%12s%12s\n", "head", "bytes", "fast (ns)", "plain (ns)");
    for (const Sample& sample : kSamples) {
        const double fast = best_ns(brick::http::parse_head, sample.bytes);
        const double plain = best_ns(brick::http::testing::parse_head_plainly, sample.bytes);
        std::printf("%-10s%8zu%12.1f%12.1f\n", sample.name, sample.bytes.size(), fast, plain);
    }
}
