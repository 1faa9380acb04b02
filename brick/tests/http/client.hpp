/// A client of a conversation: no sockets, no clock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>

#include "http/conversation.hpp"
#include "http/every_route.hpp"
#include "occurrences.hpp"

namespace brick::testing {

/// The conversation with `every_route`, at 1 January 1970.
struct Client {
    explicit Client(Limits wanted = {}) : limits(wanted) {}
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    ~Client() { talk.release(service); }

    void gives(std::string_view bytes) { talk.receive(service, bytes); }

    /// The output until none is left to send now, or `most` bytes have been taken.
    std::string takes(std::size_t most = std::string::npos) {
        std::string taken;
        while (taken.size() < most) {
            const std::string_view next = talk.next_send().substr(0, most - taken.size());
            if (next.empty()) break;
            taken += next;
            talk.sent(service, next.size());
        }
        return taken;
    }

    /// Gives `bytes` and takes the output.
    std::string says(std::string_view bytes) {
        gives(bytes);
        return takes();
    }

    void half_closes() { talk.input_ended(service); }

    /// Lets this many seconds pass. Returns true if a deadline did, too.
    bool waits(std::uint32_t seconds) {
        service.now_s += seconds;
        return talk.expire(service);
    }

    [[nodiscard]] bool is_read() const { return talk.is_reading(service); }
    [[nodiscard]] http::End end() const { return talk.end(); }

    Limits limits;
    http::Service service{every_route(), limits};
    http::Conversation talk{service};
};

inline constexpr std::string_view kGet = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

inline std::string get(std::string_view path) {
    return "GET " + std::string(path) + " HTTP/1.1\r\nHost: a\r\n\r\n";
}

/// A request of this method with a body of this length, without the body.
inline std::string head(std::string_view line, std::size_t length) {
    return std::string(line) + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(length) +
           "\r\n\r\n";
}

inline std::string chunked(std::string_view line, std::string_view chunks) {
    return std::string(line) + " HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n" +
           std::string(chunks);
}

/// The answer with this status line, these fields after Date, and this body.
inline std::string answer(std::string_view status, std::string_view fields,
                          std::string_view body = {}) {
    return "HTTP/1.1 " + std::string(status) + "\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\n" +
           std::string(fields) + "\r\n" + std::string(body);
}

/// A 200 that has only its length, and leaves the connection open.
inline std::string ok(std::string_view body) {
    return answer("200 OK", "Content-Length: " + std::to_string(body.size()) + "\r\n", body);
}

/// The server's own answer, after which it closes.
inline std::string refusal(std::string_view status) {
    return answer(status,
                  "Content-Type: text/plain\r\nContent-Length: " +
                      std::to_string(status.size() + 1) + "\r\nConnection: close\r\n",
                  std::string(status) + "\n");
}

inline const std::string kHello =
    answer("200 OK", "Content-Type: text/plain\r\nContent-Length: 5\r\n", "hello");

}  // namespace brick::testing
