/// The cost of answering, without the kernel: from the bytes of requests to the bytes of answers,
/// in ns a request. The figure is the best of a thousand short rounds. It takes a second in all.
#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/conversation.hpp"

namespace {

using brick::http::Conversation;
using brick::http::Service;
using Clock = std::chrono::steady_clock;

struct Load {
    const char* name;
    std::string_view path;
    std::size_t pipelined;
};

constexpr Load kLoads[] = {
    {"fixed, 13 bytes", "/", 1},
    {"the same, 16 at once", "/", 16},
    {"fixed, 100 KiB", "/large", 1},
    {"from a handler", "/handled", 1},
};

const brick::http::Routes& routes() {
    static const brick::http::Routes all = [] {
        brick::http::Routes some;
        some.add("GET", "/", brick::Fixed(200, "text/plain", "Hello, World!"));
        some.add("GET", "/large", brick::Fixed(200, "text/plain", std::string(100 << 10, 'x')));
        some.add("GET", "/handled", [](const brick::Request&) {
            return brick::Response(200, "text/plain", "Hello, World!");
        });
        return some;
    }();
    return all;
}

/// The seconds that `rounds` of requests take, each answered before the next arrives.
double seconds(std::string_view requests, std::size_t rounds) {
    const brick::Limits limits;
    Service service(routes(), limits);
    Conversation talk(service);
    const auto start = Clock::now();
    for (std::size_t round = 0; round < rounds; ++round) {
        talk.receive(service, requests);
        std::size_t sent = 0;
        for (auto bytes = talk.next_send(); !bytes.empty(); bytes = talk.next_send()) {
            sent += bytes.size();
            talk.sent(service, bytes.size());
        }
        if (sent < requests.size()) {
            std::fputs("bench-answer: a request wasn't answered\n", stderr);
            std::exit(1);
        }
    }
    const std::chrono::duration<double> taken = Clock::now() - start;
    talk.release(service);
    return taken.count();
}

double best_ns(const Load& load) {
    constexpr double kRound_s = 0.0002;
    constexpr int kRepetitions = 1000;
    constexpr std::size_t kProbe = 20;
    std::string requests;
    for (std::size_t n = 0; n < load.pipelined; ++n) {
        requests.append("GET ").append(load.path).append(
            " HTTP/1.1\r\nHost: localhost:8080\r\n\r\n");
    }
    const auto rounds = 1 + static_cast<std::size_t>(kProbe * kRound_s / seconds(requests, kProbe));
    double best_s = 1;
    for (int repetition = 0; repetition < kRepetitions; ++repetition) {
        best_s = std::min(best_s, seconds(requests, rounds) / static_cast<double>(rounds));
    }
    return best_s * 1e9 / static_cast<double>(load.pipelined);
}

}  // namespace

int main() {
    std::printf("%-24s%12s\n", "answer", "ns");
    for (const Load& load : kLoads) std::printf("%-24s%12.1f\n", load.name, best_ns(load));
}
