#include "script.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <iterator>
#include <utility>

#include "http/every_route.hpp"
#include "responses.hpp"

namespace brick::fuzz {
namespace {

Options options() {
    Options some;
    some.port = 1;
    some.limits = {.request_line_bytes = 100,
                   .head_bytes = 300,
                   .fields = 5,
                   .body_bytes = 50,
                   .streamed_bytes = 100,
                   .unsent_bytes = 500,
                   .connections = 6,
                   .stop_timeout = std::chrono::seconds(100)};
    some.tuning.receive_buffers = 2;
    some.tuning.receive_bytes = 64;
    some.tuning.submissions = 4;
    some.tuning.completions = 8;
    return some;
}

constexpr std::int64_t kMs = 1'000'000;
constexpr std::size_t kEventBytes = 3;

int accept_error(unsigned choice) {
    constexpr int kErrors[] = {EMFILE, ENFILE, ENOMEM, ENOBUFS, EINTR, ECONNABORTED};
    return kErrors[choice % std::size(kErrors)];
}

// No work was missed: a client's bytes are read and the server's bytes sent, or the connection is
// over.
void look(const Kernel::Peer& peer) {
    require(peer.is_reset || peer.is_closed || (peer.unread.empty() && !peer.has_ended));
    require(peer.corked.empty());
}

}  // namespace

Script::Script(Subject subject, std::string_view input) : subject_(std::move(subject)) {
    const std::size_t count = input.empty() ? 0 : static_cast<unsigned char>(input.front());
    input.remove_prefix(input.empty() ? 0 : 1);
    events_ = input.substr(0, std::min(kEventBytes * count, input.size()));
    text_ = input.substr(events_.size());
    kernel_.when_idle = [this] { go_on(); };
}

void Script::play() {
    {
        const Options wanted = options();
        std::atomic<std::size_t> open{0};
        http::Service service(testing::every_route(), wanted.limits);
        const auto reactor =
            subject_.reactor(wanted, net::Listener(wanted, 1, true), service, open);
        reactor_ = reactor.get();
        reactor->run();
        require(open == 0);
    }
    for (const Kernel::Peer& peer : kernel_.peers()) {
        require(Responses(peer.got, SIZE_MAX, true).are_well_formed());
    }
}

void Script::go_on() {
    if (events_.size() >= kEventBytes) {
        play_events();
    } else if (quiet_turns_ < 40) {
        ++quiet_turns_;
        calm();
    } else if (!is_stopping_) {
        for (const Kernel::Peer& peer : kernel_.peers()) look(peer);
        is_stopping_ = true;
        reactor_->stop();
    } else {
        require(++quiet_turns_ < 1000);  // It comes to an end.
        calm();
        kernel_.pass(1000 * kMs);
    }
}

// One event, and as many as its high bit adds before the server wakes up.
void Script::play_events() {
    bool has_more = true;
    while (has_more && events_.size() >= kEventBytes) {
        const auto byte = [this](std::size_t at) {
            return static_cast<unsigned char>(events_[at]);
        };
        has_more = byte(0) >= 128;
        event(byte(0), byte(1), byte(2));
        events_.remove_prefix(kEventBytes);
    }
}

void Script::event(unsigned kind, unsigned amount, unsigned whose) {
    auto& peers = kernel_.peers();
    if (peers.empty() || (kind % 16 == 0 && peers.size() < 20)) {
        kernel_.connect().window = 1 + 10 * amount;
        return;
    }
    Kernel::Peer& peer = peers[whose % peers.size()];
    switch (kind % 16) {
        case 5:
            return kernel_.get(peer, 10 * amount);
        case 6:
            return kernel_.end(peer);
        case 7:
            return kernel_.reset(peer);
        case 8:
            return kernel_.pass(amount * kMs);
        case 9:
            return kernel_.pass(amount * 1000 * kMs);
        case 10:
            return kernel_.fail(Kernel::Call::accept, accept_error(amount));
        case 11:
            return kernel_.fail(Kernel::Call::recv, EINTR);
        case 12:
            return kernel_.fail(Kernel::Call::send, EINTR);
        case 13:
        case 14:
            return subject_.fail(kernel_, kind % 16 == 13 ? 0 : 1, amount);
        case 15:
            return kernel_.fill_table(amount % 2 == 0);
        default:
            kernel_.send(peer, text_.substr(0, amount));
            text_.remove_prefix(std::min<std::size_t>(amount, text_.size()));
    }
}

// Clients take everything, time passes, and no call fails.
void Script::calm() {
    kernel_.fill_table(false);
    for (Kernel::Peer& peer : kernel_.peers()) {
        peer.window = SIZE_MAX / 2;
        kernel_.get(peer, peer.in_flight);
    }
    kernel_.pass(50 * kMs);
}

}  // namespace brick::fuzz
