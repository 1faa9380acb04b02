/// One connection's attempt at one case: what to send and when, and the faults of the received
/// bytes. No I/O and no clock.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "case.hpp"
#include "response_reader.hpp"
#include "ways.hpp"

namespace brick::conformance {

/// The state of a connection when the case was decided.
enum class End : std::uint8_t { open, closed, reset };

/// The server's actions.
struct Outcome {
    std::vector<int> statuses;  ///< Of all answers but the probe's, 100 among them, in order.
    End end = End::open;
    std::string fault;  ///< The first difference from the case; empty if there is none.

    /// As text, such as "400, closed".
    [[nodiscard]] std::string text() const;
};

/// Besides the case's expectations, every answer is checked for general rules: its syntax, a Date
/// in IMF-fixdate up to 4xx, and `Connection: close` on the last one before the server closes and
/// nowhere else.
///
/// A connection that is to be kept is probed: `GET /` with `Connection: close` must be answered
/// once, and no further bytes may follow. So an extra answer is found without waiting for it.
class Exchange {
public:
    /// Keeps a reference to `of`.
    Exchange(const Case& of, const Cuts& cuts);

    /// The bytes to send now; empty if there are none.
    [[nodiscard]] std::string_view to_send() const noexcept;

    /// This many bytes were sent. Returns true when they end a piece: then pause.
    bool sent(std::size_t bytes);

    /// The peer takes no more bytes.
    void cannot_send() noexcept { pieces_.clear(); }

    /// Whether all is sent, and the client's half of the connection is to be closed.
    [[nodiscard]] bool half_closes() const noexcept;

    void received(std::string_view bytes);
    void ended(bool by_reset);

    /// No bytes arrived for long enough.
    void expired();

    /// A difference is found; later bytes are only recorded. Call `expired` soon.
    [[nodiscard]] bool astray() const noexcept { return astray_; }
    [[nodiscard]] bool done() const noexcept { return done_; }
    [[nodiscard]] const Outcome& outcome() const noexcept { return outcome_; }

private:
    void take(const Response& response);
    void take_interim(const Response& response);
    void take_final(const Response& response);
    void check(const Answer& answer, const Response& response);
    void check_rules(const Response& response, bool last);
    void probe_if_due();
    void fault(std::string what);
    void stray(std::string what);

    const Case& case_;
    std::deque<std::string_view> pieces_;
    ResponseReader reader_;
    Outcome outcome_;
    std::size_t answered_ = 0;
    bool continued_ = false;
    bool probing_ = false;
    bool probed_ = false;
    bool refused_ = false;
    bool astray_ = false;
    bool done_ = false;
};

}  // namespace brick::conformance
