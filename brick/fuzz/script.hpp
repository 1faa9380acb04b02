/// The setting of a fuzzer for the whole server: a kernel in memory, and an input that decides what
/// the kernel and the clients do, call by call, and what the clients send.
///
/// An input is a byte with the number of events, three bytes for each event, and the text that
/// clients send in turn. Then all goes well until nothing is left to do, and the server stops.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <string_view>

#include <brick/options.hpp>

#include "http/service.hpp"
#include "kernel/kernel.hpp"
#include "net/reactor.hpp"

namespace brick::fuzz {

/// The reactor under test, and the failures that its kernel can cause.
struct Subject {
    std::function<std::unique_ptr<net::Reactor>(const Options& options, net::Listener listener,
                                                http::Service& service,
                                                std::atomic<std::size_t>& open)>
        reactor;

    /// Lets one of two kinds of call that only this reactor uses fail the next time.
    std::function<void(Kernel& kernel, unsigned kind, unsigned choice)> fail;
};

class Script {
public:
    Script(Subject subject, std::string_view input);

    void play();

private:
    void go_on();
    void play_events();
    void event(unsigned kind, unsigned amount, unsigned whose);
    void calm();

    Subject subject_;
    Kernel kernel_;
    std::string_view events_;
    std::string_view text_;
    net::Reactor* reactor_ = nullptr;
    int quiet_turns_ = 0;
    bool is_stopping_ = false;
};

}  // namespace brick::fuzz
