#include "response_reader.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>

namespace brick::conformance {
namespace {

std::string fault_of(std::string_view bytes) {
    ResponseReader reader;
    reader.receive(bytes);
    EXPECT_FALSE(reader.next(false)) << bytes;
    return reader.fault();
}

TEST(ResponseReader, ReadsAnswersOfEveryFramingByteByByte) {
    const std::string bytes =
        "HTTP/1.1 100 Continue\r\n\r\n"
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nX:  y \r\n\r\nab"
        "HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\nA\r\n0123456789\r\n0\r\n\r\n"
        "HTTP/1.1 204 No Content\r\n\r\n"
        "HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n"
        "HTTP/1.1 404 Not Found\r\n\r\nuntil the end";
    ResponseReader reader;
    const std::optional<std::string> field = "y";
    std::string read;
    const auto take = [&] {
        while (const auto response = reader.next(false)) {
            read += std::to_string(response->status) + '[' + response->body + ']';
            EXPECT_EQ(response->field("x"), response->body == "ab" ? field : std::nullopt);
        }
    };
    for (const char byte : bytes) {
        reader.receive({&byte, 1});
        take();
    }
    reader.end();
    take();
    EXPECT_EQ(read, "100[]200[ab]200[a0123456789]204[]304[]404[until the end]");
    EXPECT_EQ(reader.fault(), "");
    EXPECT_EQ(reader.rest(), "");
}

TEST(ResponseReader, AnAnswerToHeadHasNoBodyWhateverItsLength) {
    ResponseReader reader;
    reader.receive("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n");
    const auto response = reader.next(true);
    ASSERT_TRUE(response);
    EXPECT_EQ(response->body, "");
    EXPECT_EQ(response->field("Content-Length"), "5");
}

TEST(ResponseReader, FindsFaultWithWhatALaxClientLetsPass) {
    for (const auto* bytes : {
             "HTTP/1.0 200 OK\r\n\r\n",
             "HTTP/1.1 20 OK\r\n\r\n",
             "HTTP/1.1 200\r\n\r\n",
             "HTTP/1.1 999 OK\r\n\r\n",
             "HTTP/1.1 200 OK\n\n",
             "HTTP/1.1 200 OK\r\nX : y\r\n\r\n",
             "HTTP/1.1 200 OK\r\nX\r\n\r\n",
             "HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n",
             "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\na",
             "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\na",
             "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
             "HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n",
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1 \r\na\r\n0\r\n\r\n",
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n",
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\nX: y\r\n\r\n",
         }) {
        EXPECT_NE(fault_of(bytes), "") << bytes;
    }
}

TEST(ResponseReader, HalfAnAnswerIsNeitherAnAnswerNorAFault) {
    for (const auto* bytes : {"", "HTTP/1.1 2", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\na",
                              "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"}) {
        EXPECT_EQ(fault_of(bytes), "") << bytes;
    }
}

}  // namespace
}  // namespace brick::conformance
