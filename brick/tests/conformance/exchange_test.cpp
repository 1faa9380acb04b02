#include "exchange.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "cases/cases.hpp"

namespace brick::conformance {
namespace {

const std::string kDate = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
const std::string kHello =
    "HTTP/1.1 200 OK\r\n" + kDate + "Content-Length: 13\r\n\r\nHello, World!";
const std::string kRefusal =
    "HTTP/1.1 400 Bad Request\r\n" + kDate + "Content-Length: 0\r\nConnection: close\r\n\r\n";

void send_all(Exchange& exchange) {
    while (!exchange.to_send().empty()) exchange.sent(exchange.to_send().size());
}

/// The outcome when a server answers with these bytes and closes.
Outcome answered(const Case& of, std::string_view bytes, bool by_reset = false) {
    Exchange exchange(of, {});
    send_all(exchange);
    for (const char byte : bytes) {
        exchange.received({&byte, 1});
        send_all(exchange);  // The probe, once it is due.
    }
    exchange.ended(by_reset);
    EXPECT_TRUE(exchange.done());
    return exchange.outcome();
}

const Case kKept = kept("9112-3-x", "", "abc", {hello()});
const Case kRefused = refused("9112-3-x", "", "abc");
const Case kCut = cut("9112-3-x", "", "abc");

TEST(Exchange, SendsTheBytesInPieces) {
    Exchange exchange(kRefused, {1, 2});
    std::string sent;
    for (const auto* piece : {"a", "b", "c"}) {
        EXPECT_EQ(exchange.to_send(), piece);
        EXPECT_TRUE(exchange.sent(1));
    }
    EXPECT_EQ(exchange.to_send(), "");
}

TEST(Exchange, AKeptConnectionIsProbed) {
    Exchange exchange(kKept, {});
    send_all(exchange);
    EXPECT_EQ(exchange.to_send(), "");
    exchange.received(kHello);
    EXPECT_TRUE(exchange.to_send().starts_with("GET / HTTP/1.1\r\n"));
    send_all(exchange);
    exchange.received(kHello);
    exchange.ended(false);
    EXPECT_EQ(exchange.outcome().fault, "");
    EXPECT_EQ(exchange.outcome().text(), "200, open");
}

TEST(Exchange, WhatIsAsExpectedIsNoFault) {
    EXPECT_EQ(answered(kKept, kHello + kHello).fault, "");
    EXPECT_EQ(answered(kRefused, kRefusal).fault, "");
    EXPECT_EQ(answered(kCut, kRefusal).fault, "");
    EXPECT_EQ(answered(kCut, "").fault, "");
}

TEST(Exchange, EachDifferenceIsAFault) {
    const auto without = [](std::string text, std::string_view part) {
        return text.erase(text.find(part), part.size());
    };
    EXPECT_NE(answered(kKept, kHello).fault, "") << "closed, though it is to be kept";
    EXPECT_NE(answered(kKept, kHello + kHello + kHello).fault, "") << "an answer too many";
    EXPECT_NE(answered(kKept, kHello + kRefusal).fault, "") << "the probe is refused";
    EXPECT_NE(answered(kKept, without(kHello, kDate) + kHello).fault, "") << "no Date";
    EXPECT_NE(answered(kKept, kRefusal).fault, "") << "another status";
    EXPECT_NE(answered(kRefused, kHello).fault, "") << "accepted";
    EXPECT_NE(answered(kRefused, "").fault, "") << "no answer";
    EXPECT_NE(answered(kRefused, kRefusal, true).fault, "") << "reset";
    EXPECT_NE(answered(kRefused, kRefusal + kHello).fault, "") << "answered behind the refusal";
    EXPECT_NE(answered(kRefused, kRefusal + "x").fault, "") << "a byte too many";
    EXPECT_NE(answered(kRefused, without(kRefusal, "Connection: close\r\n")).fault, "");
    EXPECT_NE(answered(kCut, kHello).fault, "") << "half a message is answered";
    EXPECT_NE(answered(kCut, kRefusal + kRefusal).fault, "") << "refused twice";
}

TEST(Exchange, BodiesAndFieldsAreCompared) {
    const auto asks = [](Answer answer) { return closed("9112-3-x", "", "abc", {answer}); };
    const auto fault = [&](Answer answer) { return answered(asks(answer), kRefusal).fault; };
    EXPECT_EQ(fault({.status = 400, .body = "", .has = {"Content-Length: 0"}, .lacks = {"X"}}), "");
    EXPECT_NE(fault({.status = 400, .body = "x"}), "");
    EXPECT_NE(fault({.status = 400, .has = {"Allow"}}), "");
    EXPECT_NE(fault({.status = 400, .has = {"Content-Length: 1"}}), "");
    EXPECT_NE(fault({.status = 400, .lacks = {"date"}}), "");
}

TEST(Exchange, A100IsAwaitedAllowedOrAFault) {
    const std::string hundred = "HTTP/1.1 100 Continue\r\n\r\n";
    Case awaiting = kKept;
    awaiting.goes_on = Continue::awaited;
    awaiting.then = "body";
    Exchange exchange(awaiting, {});
    send_all(exchange);
    exchange.received(hundred);
    EXPECT_EQ(exchange.to_send(), "body");
    EXPECT_NE(answered(awaiting, kHello + kHello).fault, "") << "no 100";
    EXPECT_NE(answered(kKept, hundred + kHello + kHello).fault, "") << "unasked";
    Case may = kKept;
    may.goes_on = Continue::may;
    EXPECT_EQ(answered(may, hundred + kHello + kHello).fault, "");
    EXPECT_EQ(answered(may, kHello + kHello).fault, "");
    EXPECT_NE(answered(may, hundred + hundred + kHello + kHello).fault, "") << "twice";
}

TEST(Exchange, SilenceIsAFaultUnlessAllIsDone) {
    Exchange exchange(kRefused, {});
    send_all(exchange);
    exchange.received(kRefusal);
    EXPECT_FALSE(exchange.done());
    exchange.expired();
    EXPECT_TRUE(exchange.done());
    EXPECT_EQ(exchange.outcome().fault, "still open, though it is to be closed");
}

TEST(Exchange, ADateIsAnImfFixdate) {
    for (const auto* date : {"Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
                             "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 6 Nov 1994 08:49:37 GMT"}) {
        std::string answer = kRefusal;
        const auto at = answer.find("Sun,");
        answer.replace(at, answer.find("\r\n", at) - at, date);
        EXPECT_NE(answered(kRefused, answer).fault, "") << date;
    }
}

}  // namespace
}  // namespace brick::conformance
