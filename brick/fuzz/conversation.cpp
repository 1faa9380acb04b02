// One connection under any order of events: bytes in pieces, partial sends, pauses, deadlines, the
// client's end and the server's.
//
// An input is a byte with the number of events, two bytes for each event, and the text that the
// client sends. The rest is given and taken as a whole when the events are over.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "http/client.hpp"
#include "occurrences.hpp"
#include "responses.hpp"

namespace brick::fuzz {
namespace {

const Limits kLimits{.request_line_bytes = 100,
                     .head_bytes = 300,
                     .fields = 5,
                     .body_bytes = 50,
                     .streamed_bytes = 100,
                     .unsent_bytes = 500};

void require(bool holds) {
    if (!holds) std::abort();
}

class Script {
public:
    explicit Script(std::string_view input) {
        const std::size_t count = input.empty() ? 0 : static_cast<unsigned char>(input.front());
        const std::size_t event_bytes = std::min(2 * count, input.size() - !input.empty());
        events_ = input.substr(!input.empty(), event_bytes);
        text_ = input.substr(!input.empty() + event_bytes);
    }

    [[nodiscard]] std::string_view text() const { return text_; }

    /// Plays the whole script. Returns the bytes that the client got.
    std::string play() {
        for (std::size_t at = 0; at + 1 < events_.size(); at += 2) {
            event(static_cast<unsigned char>(events_[at]),
                  static_cast<unsigned char>(events_[at + 1]));
            look();
        }
        give(text_.size());
        take(std::string::npos);
        look();
        return taken_;
    }

    [[nodiscard]] bool was_cut() const { return was_cut_; }
    [[nodiscard]] http::End end() const { return client_.end(); }

private:
    void event(unsigned kind, unsigned amount) {
        switch (kind % 8) {
            case 0:
            case 1:
            case 2:
                return give(amount);
            case 3:
            case 4:
                return take(amount * (kind / 8U + 1));
            case 5:
                was_cut_ = true;
                return client_.half_closes();
            case 6:
                was_cut_ = true;
                client_.waits(amount);
                return;
            default:
                was_cut_ = true;
                client_.service.stopping = true;
                client_.talk.stop(client_.service);
        }
    }

    void give(std::size_t bytes) {
        client_.gives(text_.substr(given_, bytes));
        given_ += std::min(bytes, text_.size() - given_);
    }

    void take(std::size_t bytes) {
        while (bytes > 0) {
            const std::string piece = client_.takes(bytes);
            taken_ += piece;
            bytes -= piece.size();
            const bool is_paused = client_.talk.take_pause().has_value();
            if (is_paused) client_.talk.paused(client_.service);
            if (piece.empty() && !is_paused) return;
        }
    }

    void look() {
        using http::End;
        const End end = client_.end();
        if (end == End::close || end == End::linger) require(client_.talk.next_send().empty());
        if (end == End::close) require(!client_.is_read());
        if (end == End::linger) require(client_.is_read());
    }

    std::string_view events_;
    std::string_view text_;
    std::size_t given_ = 0;
    std::string taken_;
    bool was_cut_ = false;
    testing::Client client_{kLimits};
};

std::string without_100(std::string text) {
    constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
    while (true) {
        const std::size_t at = text.find(kContinue);
        if (at == std::string::npos) return text;
        text.erase(at, kContinue.size());
    }
}

void run(std::string_view input) {
    Script script(input);
    const std::string taken = script.play();
    const std::string_view text = script.text();
    // Each answer belongs to a complete head, except one refusal.
    const std::size_t most = testing::occurrences(text, "\r\n\r\n") + 1;
    const Responses responses(taken, testing::occurrences(text, "HEAD "),
                              script.end() != http::End::open || script.was_cut());
    require(responses.are_well_formed());
    require(responses.count() <= most);
    if (script.was_cut()) return;
    std::string uncut = std::string(1, '\0').append(text);
    require(without_100(Script(uncut).play()) == without_100(taken));
}

}  // namespace
}  // namespace brick::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    brick::fuzz::run({reinterpret_cast<const char*>(data), size});
    return 0;
}
