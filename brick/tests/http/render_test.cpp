// The bytes of an answer's head, and of a fixed answer.
#include "http/render.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace brick::http {
namespace {

constexpr std::array kConnections = {Connection::silent, Connection::keep_alive, Connection::close};

Date some_date() {
    Date date;
    date.set(784'111'777);
    return date;
}

/// The head, in a buffer of exactly the size that `head_bytes_at_most` gives.
std::string head(const Response& response, Body body, Connection connection = Connection::silent) {
    std::vector<char> buffer(head_bytes_at_most(response));
    const char* end = render_head(buffer.data(), response, body, connection, some_date());
    return {buffer.data(), static_cast<std::size_t>(end - buffer.data())};
}

std::string head(const Response& response) { return head(response, body_of(response, 1)); }

std::string written(const Rendered& rendered, Connection connection, bool with_body) {
    std::vector<char> buffer(rendered.bytes(connection, with_body));
    const char* end = rendered.write(buffer.data(), connection, with_body, some_date());
    EXPECT_EQ(end, buffer.data() + buffer.size());
    return {buffer.begin(), buffer.end()};
}

/// A head read by a plain parser: lines that end with CRLF, then an empty one.
struct Read {
    std::string status_line;
    std::vector<std::pair<std::string, std::string>> fields;
    std::string body;
};

Read read(const std::string& text) {
    Read result;
    std::size_t at = 0;
    for (;;) {
        const std::size_t end = text.find("\r\n", at);
        if (end == std::string::npos) {
            ADD_FAILURE() << "no empty line in " << text;
            return result;
        }
        const std::string line = text.substr(at, end - at);
        at = end + 2;
        if (line.empty()) {
            break;
        }
        if (result.status_line.empty()) {
            result.status_line = line;
            continue;
        }
        const std::size_t colon = line.find(": ");
        EXPECT_NE(colon, std::string::npos) << line;
        result.fields.emplace_back(line.substr(0, colon), line.substr(colon + 2));
    }
    result.body = text.substr(at);
    return result;
}

TEST(Reason, IsTheOneOfTheRfcs) {
    EXPECT_EQ(reason(200), "OK");
    EXPECT_EQ(reason(413), "Content Too Large");
    EXPECT_EQ(reason(431), "Request Header Fields Too Large");
    EXPECT_EQ(reason(505), "HTTP Version Not Supported");
}

TEST(Reason, IsEmptyWhereNoneIsKnown) {
    for (const int status : {-1, 0, 100, 199, 299, 306, 418, 599, 600, 1'000'000}) {
        EXPECT_EQ(reason(status), "") << status;
    }
}

TEST(Head, HasStatusLineDateFieldsFramingAndConnectionInThisOrder) {
    const Response response(404, "text/plain", "no\n");
    EXPECT_EQ(head(response, {Body::Framing::length, 3}, Connection::close),
              "HTTP/1.1 404 Not Found\r\n"
              "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"
              "Content-Type: text/plain\r\n"
              "Content-Length: 3\r\n"
              "Connection: close\r\n"
              "\r\n");
}

TEST(Head, HasASpaceBehindAStatusWithoutReason) {
    EXPECT_EQ(read(head(Response(299))).status_line, "HTTP/1.1 299 ");
}

TEST(Head, NamesTheConnectionOnlyWhereItMust) {
    const Response response(204);
    const std::string date = "HTTP/1.1 204 No Content\r\nDate: Sun, 06 Nov 1994 08:49:37 GMT\r\n";
    EXPECT_EQ(head(response, {}, Connection::silent), date + "\r\n");
    EXPECT_EQ(head(response, {}, Connection::keep_alive), date + "Connection: keep-alive\r\n\r\n");
    EXPECT_EQ(head(response, {}, Connection::close), date + "Connection: close\r\n\r\n");
}

TEST(Head, FitsTheBytesThatItNeedsAtMost) {
    const std::uint64_t longest = std::numeric_limits<std::uint64_t>::max();
    Response response(431, "text/plain");
    response.field("X-Long", std::string(5000, 'x'));
    const std::string text =
        head(response, {Body::Framing::length, longest}, Connection::keep_alive);
    EXPECT_LE(text.size(), head_bytes_at_most(response));
    EXPECT_EQ(read(text).fields.at(3),
              std::make_pair(std::string("Content-Length"), std::string("18446744073709551615")));
}

TEST(Head, ReadsBackAsItWasMeantForEveryStatusFramingAndConnection) {
    using Framing = Body::Framing;
    const std::map<Framing, std::string> framings = {
        {Framing::none, ""},
        {Framing::length, "Content-Length: 1234567890"},
        {Framing::chunked, "Transfer-Encoding: chunked"},
        {Framing::until_close, ""},
    };
    const std::array connections = {"", "Connection: keep-alive", "Connection: close"};
    for (int status = 200; status <= 599; ++status) {
        for (const auto& [framing, framing_line] : framings) {
            for (const Connection connection : kConnections) {
                Response response(status, "a/b");
                response.field("X-Y", "z, z");
                const Read got = read(head(response, {framing, 1'234'567'890}, connection));
                EXPECT_EQ(got.status_line,
                          "HTTP/1.1 " + std::to_string(status) + " " + std::string(reason(status)));
                std::string lines;
                for (const auto& [name, value] : got.fields) {
                    lines.append(name).append(": ").append(value).append("\n");
                }
                std::string wanted =
                    "Date: Sun, 06 Nov 1994 08:49:37 GMT\nContent-Type: a/b\nX-Y: z, z\n";
                for (const std::string& line :
                     {framing_line,
                      std::string(connections.at(static_cast<std::size_t>(connection)))}) {
                    wanted += line.empty() ? "" : line + "\n";
                }
                EXPECT_EQ(lines, wanted);
                EXPECT_EQ(got.body, "");
            }
        }
    }
}

Response streamed(int status, std::optional<std::uint64_t> length = std::nullopt) {
    Response response(status);
    response.stream([](std::string&) { return false; }, length);
    return response;
}

void expect_framing(const Response& response, std::uint8_t minor, Body::Framing framing,
                    std::uint64_t length = 0) {
    const Body body = body_of(response, minor);
    EXPECT_EQ(body.framing, framing) << response.status();
    EXPECT_EQ(body.length, length) << response.status();
}

TEST(BodyOf, IsALengthForABodyThatIsThere) {
    expect_framing(Response(200), 1, Body::Framing::length, 0);
    expect_framing(Response(500, {}, "five!"), 0, Body::Framing::length, 5);
}

TEST(BodyOf, IsChunkedForAStreamOrUntilTheConnectionClosesInHttp10) {
    expect_framing(streamed(200), 1, Body::Framing::chunked);
    expect_framing(streamed(200), 0, Body::Framing::until_close);
    expect_framing(streamed(200, 9), 1, Body::Framing::length, 9);
    expect_framing(streamed(200, 9), 0, Body::Framing::length, 9);
    expect_framing(streamed(200, 0), 1, Body::Framing::length, 0);
}

TEST(BodyOf, IsNothingFor204) {  // RFC 9110, 8.6.
    expect_framing(Response(204, {}, "dropped"), 1, Body::Framing::none);
    expect_framing(streamed(204), 0, Body::Framing::none);
    expect_framing(streamed(204, 3), 1, Body::Framing::none);
}

TEST(BodyOf, IsALengthOfZeroFor205) {  // RFC 9110, 15.3.6.
    expect_framing(Response(205, {}, "dropped"), 1, Body::Framing::length, 0);
    expect_framing(streamed(205), 1, Body::Framing::length, 0);
}

TEST(BodyOf, IsTheLengthThat200WouldHaveFor304OrNothing) {  // RFC 9110, 8.6.
    expect_framing(Response(304), 1, Body::Framing::none);
    expect_framing(Response(304, {}, "what GET gives"), 1, Body::Framing::length, 14);
    expect_framing(streamed(304, 9), 1, Body::Framing::length, 9);
    expect_framing(streamed(304), 1, Body::Framing::none);
    expect_framing(streamed(304), 0, Body::Framing::none);
}

TEST(Rendered, IsTheHeadAndTheBody) {
    const Response response(200, "text/plain", "Hello, World!");
    const Rendered rendered{Fixed(response)};
    for (const Connection connection : kConnections) {
        const std::string wanted = head(response, {Body::Framing::length, 13}, connection);
        EXPECT_EQ(written(rendered, connection, true), wanted + "Hello, World!");
    }
}

TEST(Rendered, KeepsItsLengthWithoutItsBody) {
    const Response response(200, "text/plain", "Hello, World!");
    const Rendered rendered{Fixed(response)};
    for (const Connection connection : kConnections) {
        EXPECT_EQ(written(rendered, connection, false),
                  head(response, {Body::Framing::length, 13}, connection));
    }
}

TEST(Rendered, HasNoBodyWhereHttpHasNone) {
    for (const int status : {204, 205, 304}) {
        const Response response(status, {}, "body");
        const Rendered rendered{Fixed(response)};
        EXPECT_EQ(written(rendered, Connection::silent, true), head(response)) << status;
    }
}

TEST(Rendered, ChangesItsDateOnly) {
    const Rendered rendered(Fixed(200, {}, "Date: none\r\n"));
    std::string buffer(rendered.bytes(Connection::silent, true), '?');
    Date date;
    date.set(0);
    (void)rendered.write(buffer.data(), Connection::silent, true, date);
    const std::string first = buffer;
    date.set(86'400);
    (void)rendered.write(buffer.data(), Connection::silent, true, date);
    EXPECT_EQ(first,
              "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nContent-Length: 12\r\n\r\n"
              "Date: none\r\n");
    EXPECT_EQ(buffer,
              "HTTP/1.1 200 OK\r\nDate: Fri, 02 Jan 1970 00:00:00 GMT\r\nContent-Length: 12\r\n\r\n"
              "Date: none\r\n");
}

TEST(Rendered, SaysWhetherItCloses) {
    Response response(200, {}, "x");
    response.close();
    EXPECT_TRUE(Rendered{Fixed(response)}.closes());
    EXPECT_FALSE(Rendered{Fixed(200, {}, "x")}.closes());
}

TEST(Rendered, CannotStreamOrHaveAPace) {
    using namespace std::chrono_literals;
    EXPECT_THROW(Rendered{Fixed(streamed(200))}, std::invalid_argument);
    for (const Pace pace : {Pace{.hold = 1ns}, Pace{.piece_bytes = 1}, Pace{.gap = 1ns}}) {
        Response response;
        response.pace(pace);
        EXPECT_THROW(Rendered{Fixed(response)}, std::invalid_argument);
    }
}

}  // namespace
}  // namespace brick::http
