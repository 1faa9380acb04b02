#include "exchange.hpp"

#include <algorithm>
#include <ctime>

namespace brick::conformance {
namespace {

constexpr std::string_view kProbe = "GET / HTTP/1.1\r\nHost: probe\r\nConnection: close\r\n\r\n";
constexpr std::string_view kProbed = "Hello, World!";

/// RFC 9110, 5.6.7.
bool is_imf_fixdate(const std::string& text) {
    std::tm date{};
    const char* end = strptime(text.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date);
    return text.size() == 29 && end != nullptr && *end == '\0';
}

/// A body in a message: the body itself, or its size.
std::string shown(const std::string& body) {
    return body.size() <= 60 ? '"' + body + '"' : std::to_string(body.size()) + " bytes";
}

}  // namespace

std::string Outcome::text() const {
    std::string text;
    for (const auto status : statuses) text += (text.empty() ? "" : " ") + std::to_string(status);
    if (text.empty()) text = "no answer";
    return text + (end == End::open ? ", open" : end == End::closed ? ", closed" : ", reset");
}

Exchange::Exchange(const Case& of, const Cuts& cuts) : case_(of) {
    const std::string_view all = of.bytes;
    std::size_t from = 0;
    for (const auto at : cuts) {
        pieces_.push_back(all.substr(from, at - from));
        from = at;
    }
    pieces_.push_back(all.substr(from));
}

std::string_view Exchange::to_send() const noexcept {
    return pieces_.empty() ? std::string_view() : pieces_.front();
}

bool Exchange::sent(std::size_t bytes) {
    pieces_.front().remove_prefix(bytes);
    if (!pieces_.front().empty()) return false;
    pieces_.pop_front();
    probe_if_due();
    return true;
}

bool Exchange::half_closes() const noexcept { return case_.after == After::cut && pieces_.empty(); }

void Exchange::received(std::string_view bytes) {
    reader_.receive(bytes);
    while (!done_) {
        const bool to_head =
            !probing_ && answered_ < case_.answers.size() && case_.answers[answered_].to_head;
        const auto response = reader_.next(to_head);
        if (!response) break;
        take(*response);
    }
    if (!reader_.fault().empty()) stray(reader_.fault());
    probe_if_due();
}

void Exchange::take(const Response& response) {
    if (probing_ && !probed_) {
        probed_ = true;
        if (response.status != 200 || response.body != kProbed) {
            outcome_.statuses.push_back(response.status);
            stray("the next request, GET /, is answered with " + std::to_string(response.status) +
                  ' ' + shown(response.body));
        }
        return;
    }
    outcome_.statuses.push_back(response.status);
    if (response.status < 200) {
        take_interim(response);
    } else {
        take_final(response);
    }
}

void Exchange::take_interim(const Response& response) {
    const bool wanted = response.status == 100 && case_.goes_on != Continue::never;
    if (!wanted || continued_ || answered_ > 0) {
        fault("answer " + std::to_string(response.status) + " that nobody waits for");
        return;
    }
    continued_ = true;
    if (!case_.then.empty()) pieces_.emplace_back(case_.then);
}

void Exchange::take_final(const Response& response) {
    if (answered_ < case_.answers.size()) {
        const Answer& answer = case_.answers[answered_++];
        if (response.status != answer.status) {
            stray("answer " + std::to_string(answered_) + " is " + std::to_string(response.status) +
                  " and not " + std::to_string(answer.status));
            return;
        }
        if (case_.goes_on == Continue::awaited && !continued_) fault("no 100 before the answer");
        check(answer, response);
        check_rules(response, answered_ == case_.answers.size());
    } else if (case_.after == After::cut && !refused_ && response.status >= 400) {
        refused_ = true;
    } else {
        stray("one answer more than requests: " + std::to_string(response.status));
    }
}

void Exchange::check(const Answer& answer, const Response& response) {
    if (answer.body && response.body != *answer.body) {
        fault("the body is " + shown(response.body) + " and not " + shown(*answer.body));
    }
    for (const auto& wanted : answer.has) {
        const auto colon = wanted.find(": ");
        const auto value = response.field(wanted.substr(0, colon));
        if (!value) {
            fault("no " + wanted);
        } else if (colon != wanted.npos && *value != wanted.substr(colon + 2)) {
            fault(wanted.substr(0, colon) + " is " + *value + " and not " +
                  wanted.substr(colon + 2));
        }
    }
    for (const auto& name : answer.lacks) {
        if (response.field(name)) fault(name + " is there");
    }
}

void Exchange::check_rules(const Response& response, bool last) {
    const auto date = response.field("Date");
    if (response.status < 500 && !date) fault("no Date");
    if (date && !is_imf_fixdate(*date)) fault("Date is " + *date);
    const bool closing = response.field("Connection").value_or("") == "close";
    if (last && case_.after == After::close && !closing) fault("no Connection: close");
    if (closing && !(last && case_.after == After::close)) fault("an early Connection: close");
}

void Exchange::probe_if_due() {
    if (probing_ || astray_ || !pieces_.empty() || case_.after != After::keep) return;
    if (answered_ < case_.answers.size()) return;
    probing_ = true;
    pieces_.push_back(kProbe);
}

void Exchange::ended(bool by_reset) {
    reader_.end();
    received("");
    outcome_.end = by_reset ? End::reset : End::closed;
    if (probed_) outcome_.end = End::open;  // Until the probe requested its end.
    if (by_reset) fault("the connection is reset");
    if (answered_ < case_.answers.size()) {
        fault("closed with " + std::to_string(answered_) + " of " +
              std::to_string(case_.answers.size()) + " answers");
    }
    if (case_.after == After::keep && !probed_) fault("closed, though it is to be kept");
    if (!reader_.rest().empty()) {
        fault(std::to_string(reader_.rest().size()) + " bytes that are no answer");
    }
    done_ = true;
}

void Exchange::expired() {
    if (answered_ < case_.answers.size()) {
        fault("only " + std::to_string(answered_) + " of " + std::to_string(case_.answers.size()) +
              " answers came");
    }
    fault(probing_ && !probed_ ? "the next request, GET /, is not answered"
          : probed_            ? "open behind the last request's Connection: close"
                               : "still open, though it is to be closed");
    done_ = true;
}

void Exchange::fault(std::string what) {
    if (outcome_.fault.empty()) outcome_.fault = std::move(what);
}

void Exchange::stray(std::string what) {
    fault(std::move(what));
    astray_ = true;
}

}  // namespace brick::conformance
