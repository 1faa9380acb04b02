#include "http/head.hpp"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "http/head_cases.hpp"

namespace brick::http {
namespace {

Parsed parse(std::string_view bytes, Head& head, const Limits& limits = {}) {
    return parse_head(bytes, limits, head);
}

/// A head that must be valid.
Head parsed(std::string_view bytes) {
    Head head;
    const Parsed result = parse(bytes, head);
    EXPECT_EQ(result.refusal, 0) << bytes;
    EXPECT_EQ(result.consumed, bytes.size()) << bytes;
    return head;
}

Head parsed_with(const std::string& fields) {
    static std::string kept;  // The views of the head refer to it.
    kept = "GET / HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
    return parsed(kept);
}

TEST(ParseHead, DecidesEachCaseOfTheTable) {
    for (const auto& one : testing::head_cases()) {
        SCOPED_TRACE(one.name);
        Head head;
        const Parsed result = parse(one.bytes, head);
        EXPECT_EQ(result.refusal, one.refusal);
        EXPECT_EQ(result.consumed, one.refusal == 0 ? one.bytes.size() : 0);
    }
}

TEST(ParseHead, GivesViewsOfTheRequestLine) {
    const Head head = parsed("PATCH /a/b?c=d?e HTTP/1.1\r\nHost: a\r\n\r\n");
    EXPECT_EQ(head.method, "PATCH");
    EXPECT_EQ(head.target, "/a/b?c=d?e");
    EXPECT_EQ(head.path, "/a/b");
    EXPECT_EQ(head.query, "c=d?e");
    EXPECT_EQ(head.form, Target::origin);
    EXPECT_EQ(head.minor, 1);
}

TEST(ParseHead, HasNoQueryWithoutAMark) {
    EXPECT_EQ(parsed("GET /a HTTP/1.0\r\n\r\n").query, "");
    EXPECT_EQ(parsed("GET /a HTTP/1.0\r\n\r\n").minor, 0);
}

TEST(ParseHead, SplitsAnAbsoluteTarget) {
    const Head head = parsed("GET http://a:80/b?c HTTP/1.0\r\n\r\n");
    EXPECT_EQ(head.target, "http://a:80/b?c");
    EXPECT_EQ(head.path, "/b");
    EXPECT_EQ(head.query, "c");
    EXPECT_EQ(head.form, Target::absolute);
}

TEST(ParseHead, GivesAnAbsoluteTargetWithoutAPathARoot) {
    EXPECT_EQ(parsed("GET http://a HTTP/1.0\r\n\r\n").path, "/");
    const Head head = parsed("OPTIONS http://a?b HTTP/1.0\r\n\r\n");
    EXPECT_EQ(head.path, "/");
    EXPECT_EQ(head.query, "b");
}

TEST(ParseHead, TakesOptionsWithoutAPathForTheWholeServer) {
    EXPECT_EQ(parsed("OPTIONS http://a HTTP/1.0\r\n\r\n").path, "*");
    EXPECT_EQ(parsed("OPTIONS * HTTP/1.0\r\n\r\n").path, "*");
    EXPECT_EQ(parsed("OPTIONS * HTTP/1.0\r\n\r\n").form, Target::asterisk);
}

TEST(ParseHead, GivesAnAuthorityNoPath) {
    const Head head = parsed("CONNECT a:80 HTTP/1.0\r\n\r\n");
    EXPECT_EQ(head.form, Target::authority);
    EXPECT_EQ(head.target, "a:80");
    EXPECT_EQ(head.path, "");
}

TEST(ParseHead, GivesFieldsInTheirOrderAndWithoutBlanks) {
    const Head head = parsed_with("B:\t c d \r\na:\r\nB: e\r\n");
    ASSERT_EQ(head.field_count, 4U);
    EXPECT_EQ(head.fields[0].name, "Host");
    EXPECT_EQ(head.fields[1].name, "B");
    EXPECT_EQ(head.fields[1].value, "c d");
    EXPECT_EQ(head.fields[2].name, "a");
    EXPECT_EQ(head.fields[2].value, "");
    EXPECT_EQ(head.fields[3].value, "e");
}

TEST(ParseHead, HasNoBodyWithoutALength) { EXPECT_EQ(parsed_with("").framing, Framing::none); }

TEST(ParseHead, ReadsALength) {
    const Head head = parsed_with("Content-Length: 18446744073709551615\r\n");
    EXPECT_EQ(head.framing, Framing::length);
    EXPECT_EQ(head.length, 18'446'744'073'709'551'615U);
    EXPECT_EQ(parsed_with("Content-Length: 0012\r\n").length, 12U);
    EXPECT_EQ(parsed_with("Content-Length: 0\r\n").framing, Framing::length);
}

TEST(ParseHead, ReadsChunked) {
    EXPECT_EQ(parsed_with("Transfer-Encoding: Chunked\r\n").framing, Framing::chunked);
    EXPECT_EQ(parsed_with("Transfer-Encoding: ,chunked\r\n").framing, Framing::chunked);
}

TEST(ParseHead, KeepsAliveByVersionAndConnection) {
    EXPECT_TRUE(parsed_with("").keeps_alive);
    EXPECT_TRUE(parsed_with("Connection: upgrade\r\n").keeps_alive);
    EXPECT_FALSE(parsed_with("Connection: Close\r\n").keeps_alive);
    EXPECT_FALSE(parsed_with("Connection: a\r\nconnection: b ,\tclose\r\n").keeps_alive);
    EXPECT_FALSE(parsed_with("Connection: close, keep-alive\r\n").keeps_alive);
    EXPECT_TRUE(parsed_with("Connection: closed\r\n").keeps_alive);
    EXPECT_FALSE(parsed("GET / HTTP/1.0\r\n\r\n").keeps_alive);
    EXPECT_TRUE(parsed("GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n").keeps_alive);
    EXPECT_FALSE(parsed("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n").keeps_alive);
}

TEST(ParseHead, ReadsAnExpectationButNotInHttp10) {
    EXPECT_FALSE(parsed_with("").expects_continue);
    EXPECT_TRUE(parsed_with("Expect: 100-continue\r\n").expects_continue);
    EXPECT_FALSE(parsed("GET / HTTP/1.0\r\nExpect: 100-continue\r\n\r\n").expects_continue);
}

TEST(ParseHead, ForgetsTheHeadThatWasInItsPlace) {
    Head head;
    const std::string first =
        "GET http://a/?b HTTP/1.0\r\nContent-Length: 5\r\nConnection: keep-alive\r\n\r\n";
    ASSERT_EQ(parse(first, head).consumed, first.size());
    const std::string chunked =
        "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n\r\n";
    ASSERT_EQ(parse(chunked, head).consumed, chunked.size());
    EXPECT_EQ(head.length, 0U);
    const std::string last = "GET /c HTTP/1.1\r\nHost: a\r\n\r\n";
    ASSERT_EQ(parse(last, head).consumed, last.size());
    EXPECT_EQ(head.form, Target::origin);
    EXPECT_EQ(head.query, "");
    EXPECT_EQ(head.minor, 1);
    EXPECT_EQ(head.framing, Framing::none);
    EXPECT_EQ(head.field_count, 1U);
    EXPECT_FALSE(head.expects_continue);
    EXPECT_TRUE(head.keeps_alive);
}

TEST(ParseHead, StopsAtTheEndOfTheHead) {
    const std::string head_bytes = "\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n";
    Head head;
    EXPECT_EQ(parse(head_bytes + "\r\n\r\nno request", head).consumed, head_bytes.size());
}

TEST(ParseHead, WaitsForMore) {
    Head head;
    for (const std::string_view part :
         {"", "\r", "\r\n", "G", "GET", "GET ", "GET /", "GET / ", "GET / HTTP/1.1\r",
          "GET / HTTP/1.1\r\n", "GET / HTTP/1.1\r\nHost: a\r\n\r", "\1", " "}) {
        const Parsed result = parse(part, head);
        EXPECT_EQ(result.consumed, 0U) << part;
        EXPECT_EQ(result.refusal, 0) << part;
    }
}

/// A request line with this many bytes, without its CRLF.
std::string request_line(std::size_t bytes) {
    const std::string rest = "GET / HTTP/1.1";
    return "GET /" + std::string(bytes - rest.size(), 'a') + " HTTP/1.1";
}

TEST(ParseHead, RefusesALongRequestLineAsSoonAsItIsTooLong) {
    const std::size_t most = Limits{}.request_line_bytes;
    const std::string rest = "\r\nHost: a\r\n\r\n";
    Head head;
    EXPECT_GT(parse(request_line(most) + rest, head).consumed, most);
    EXPECT_EQ(parse(request_line(most) + "\r", head).refusal, 0);
    EXPECT_EQ(parse(request_line(most + 1) + rest, head).refusal, 414);
    EXPECT_EQ(parse(request_line(most + 2), head).refusal, 414);
    EXPECT_EQ(parse(request_line(most + 2) + "\n", head).refusal, 414);
    EXPECT_EQ(parse("\r\n" + request_line(most) + rest, head).refusal, 0);
}

TEST(ParseHead, KnowsNoMethodThatIsLongHoweverLongItIs) {
    const std::size_t most = Limits{}.request_line_bytes;
    const std::string rest = " / HTTP/1.1\r\nHost: a\r\n\r\n";
    Head head;
    EXPECT_EQ(parse(std::string(most - 11, 'M') + rest, head).refusal, 0);
    EXPECT_EQ(parse(std::string(most + 1, 'M'), head).refusal, 0);
    for (const std::size_t bytes : {most + 2, most + 3, std::size_t{100'000}}) {
        EXPECT_EQ(parse(std::string(bytes, 'M') + rest, head).refusal, 501) << bytes;
        EXPECT_EQ(parse(std::string(bytes, 'M'), head).refusal, 501) << bytes;
    }
    // The space comes within the limit: so it is the target that exceeds it.
    EXPECT_EQ(parse(std::string(most, 'M') + rest, head).refusal, 414);
}

TEST(ParseHead, RefusesARequestLineThatAHeadHasNoRoomFor) {
    Limits limits;
    limits.head_bytes = 100;
    Head head;
    EXPECT_EQ(parse(request_line(100), head, limits).refusal, 414);
    EXPECT_EQ(parse(request_line(97), head, limits).refusal, 0);
}

TEST(ParseHead, RefusesALongHeadAsSoonAsItIsTooLong) {
    const std::string start = "GET / HTTP/1.1\r\nHost: a\r\nB: ";
    const std::string end = "\r\n\r\n";
    const std::size_t most = Limits{}.head_bytes;
    const std::string fill(most - start.size() - end.size(), 'b');
    Head head;
    EXPECT_EQ(parse(start + fill + end, head).consumed, most);
    EXPECT_EQ(parse("\r\n" + start + fill + end, head).consumed, most + 2);
    EXPECT_EQ(parse(start + fill + "\r\n\r", head).refusal, 0);
    EXPECT_EQ(parse(start + fill + "b" + end, head).refusal, 431);
    EXPECT_EQ(parse(start + fill + "bbbb", head).refusal, 431);
    EXPECT_EQ(parse(start + fill + "bbb", head).refusal, 0);
    // The error in a line that is complete within the limit comes first.
    EXPECT_EQ(parse("GET / HTTP/1.1\r\nB : c\r\n" + fill + fill, head).refusal, 400);
}

std::string with_fields(std::size_t count) {
    std::string bytes = "GET / HTTP/1.1\r\nHost: a\r\n";
    for (std::size_t n = 1; n < count; ++n) {
        bytes += "B: " + std::to_string(n) + "\r\n";
    }
    return bytes;
}

TEST(ParseHead, RefusesOneFieldTooMany) {
    Head head;
    EXPECT_GT(parse(with_fields(100) + "\r\n", head).consumed, 0U);
    EXPECT_EQ(head.field_count, 100U);
    EXPECT_EQ(parse(with_fields(100) + "C: d\r", head).refusal, 0);
    EXPECT_EQ(parse(with_fields(100) + "C: d\r\n", head).refusal, 431);
    Limits limits;
    limits.fields = 3;
    EXPECT_GT(parse(with_fields(3) + "\r\n", head, limits).consumed, 0U);
    EXPECT_EQ(parse(with_fields(4) + "\r\n", head, limits).refusal, 431);
    limits.fields = 1000;
    EXPECT_EQ(parse(with_fields(101) + "\r\n", head, limits).refusal, 431);
}

TEST(ParseHead, GivesTheRefusalOfTheFirstBadLine) {
    Head head;
    EXPECT_EQ(parse("GET / HTTP/3.0\r\nA\r\n\r\n", head).refusal, 505);
    EXPECT_EQ(parse("GET / HTTP/1.1\r\nExpect: a\r\nB\r\n\r\n", head).refusal, 417);
    EXPECT_EQ(parse("GET / HTTP/1.1\r\nB\r\nExpect: a\r\n\r\n", head).refusal, 400);
}

TEST(SameLetters, LooksPastTheCaseOfAsciiLettersOnly) {
    EXPECT_TRUE(same_letters("", ""));
    EXPECT_TRUE(same_letters("Content-Length", "cONTENT-lENGTH"));
    EXPECT_FALSE(same_letters("a", "ab"));
    EXPECT_FALSE(same_letters("[", "{"));
    EXPECT_FALSE(same_letters("@", "`"));
    EXPECT_FALSE(same_letters("\r", "-"));
    EXPECT_FALSE(same_letters("\xc4", "\xe4"));
}

TEST(IsToken, KnowsTheBytesOfRfc9110) {
    const std::string_view marks = "!#$%&'*+-.^_`|~";
    EXPECT_FALSE(is_token(""));
    for (int byte = 0; byte < 256; ++byte) {
        const bool alphanumeric = (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'z') ||
                                  (byte >= 'A' && byte <= 'Z');
        const char text = static_cast<char>(byte);
        const bool is_mark = marks.find(text) != std::string_view::npos;
        EXPECT_EQ(is_token({&text, 1}), alphanumeric || is_mark) << byte;
    }
}

TEST(IsFieldValue, KnowsTheBytesOfRfc9110) {
    EXPECT_TRUE(is_field_value(""));
    for (int byte = 0; byte < 256; ++byte) {
        const bool good = byte == '\t' || (byte >= ' ' && byte != 0x7f);
        const std::string text = {'a', static_cast<char>(byte), 'z'};
        EXPECT_EQ(is_field_value(text), good) << byte;
    }
}

}  // namespace
}  // namespace brick::http
