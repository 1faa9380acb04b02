/// One connection's try of one case: what to send and when, and what is wrong with what came back.
/// No I/O and no clock.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "case.hpp"
#include "response_reader.hpp"
#include "ways.hpp"

namespace brick::conformance {

/// How a connection stood when the case was decided.
enum class End : std::uint8_t { open, closed, reset };

/// What a server did.
struct Outcome {
    std::vector<int> statuses;  ///< Of all answers but the probe's, 100 among them, in order.
    End end = End::open;
    std::string fault;  ///< The first difference from the case; empty if there is none.

    /// "400, closed".
    [[nodiscard]] std::string text() const;
};

/// Besides what the case says, every answer is held to rules: its syntax, a Date in IMF-fixdate up
/// to 4xx, and `Connection: close` on the last one before the server closes and nowhere else.
///
/// A connection that is to be kept is probed: `GET /` with `Connection: close` must be answered
/// once, and nothing may follow. So one answer too many is found without waiting for it.
class Exchange {
public:
    /// Keeps a reference to `of`.
    Exchange(const Case& of, const Cuts& cuts);

    /// What to send now; empty if nothing is.
    [[nodiscard]] std::string_view to_send() const noexcept;

    /// So many bytes of it were sent. True when they end a piece: pause before the next one.
    bool sent(std::size_t bytes);

    /// The peer takes no more.
    void cannot_send() noexcept { pieces_.clear(); }

    /// All is sent, and the client's half of the connection is to be closed.
    [[nodiscard]] bool half_closes() const noexcept;

    void received(std::string_view bytes);
    void ended(bool by_reset);

    /// Nothing came for long enough.
    void expired();

    /// A difference is found; what else comes is only told. Call `expired` soon.
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
