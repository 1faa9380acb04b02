// A WebSocket's time and memory, its handler, and its end.
#include <gtest/gtest.h>

#include <string>

#include "ws/endpoint.hpp"
#include "ws/socket.hpp"

namespace brick::ws::testing {
namespace {

using http::End;

constexpr std::uint32_t kBodySeconds = 30;
constexpr std::uint32_t kIdleSeconds = 60;

TEST(Handler, MaySendSeveralMessagesItsOwnAmongThem) {
    // The message, "and", the message again, and then 1001.
    Socket client({}, "/socket-thrice");
    const std::string text(3000, 't');
    EXPECT_EQ(client.says(frame(kText, text) + frame(kText, "never read")),
              reply(kText, text) + reply(kBinary, "and") + reply(kText, text) + closed(1001));
    EXPECT_EQ(client.end(), End::linger);
}

TEST(Handler, ThatThrowsClosesWith1011) {
    for (const std::string message : {"throw", "code"}) {  // The other closes with code 1005.
        Socket client({}, "/socket-throws");
        EXPECT_EQ(client.says(frame(kText, message)), closed(1011));
    }
}

TEST(Socket, ThatIsIdleIsClosedWith1001) {
    Socket client;
    EXPECT_FALSE(client.waits(kIdleSeconds));
    EXPECT_EQ(client.says(frame(kPing, "")), reply(kPong, ""));
    EXPECT_FALSE(client.waits(kIdleSeconds));
    EXPECT_TRUE(client.waits(1));
    EXPECT_EQ(client.takes(), closed(1001));
    EXPECT_EQ(client.end(), End::linger);
}

TEST(Socket, WithinAMessageIsClosedWith1008) {
    for (const std::string& start : {fragment(kText, "a"), frame(kText, "abc").substr(0, 7),
                                     frame(kText, "abc").substr(0, 1)}) {
        Socket client;
        client.says(start);
        EXPECT_FALSE(client.waits(kBodySeconds));
        EXPECT_TRUE(client.waits(1));
        EXPECT_EQ(client.takes(), closed(1008));
    }
}

TEST(Socket, OfAServerThatStopsIsClosedWith1001) {
    Socket client;
    client.service.stopping = true;
    client.talk.stop(client.service);
    EXPECT_EQ(client.takes(), closed(1001));
    EXPECT_EQ(client.says(frame(kText, "late")), "");
    client.half_closes();
    EXPECT_EQ(client.end(), End::close);
}

TEST(Socket, WhoseClientEndsWithoutAWordIsClosed) {
    Socket client;
    client.gives(frame(kText, "last"));
    client.half_closes();
    EXPECT_EQ(client.end(), End::open) << "the echo is still to be sent";
    EXPECT_EQ(client.takes(), reply(kText, "last"));
    EXPECT_EQ(client.end(), End::close);
}

TEST(Memory, OfASocketWhoseClientReadsNothingIsBound) {
    Socket client({.unsent_bytes = 1000});
    const std::string message = frame(kBinary, std::string(300, 'b'));
    std::size_t given = 0;
    while (client.is_read() && given < 1'000'000) {
        client.gives(message);
        given += message.size();
    }
    EXPECT_LT(given, 20'000U);
    const std::string echoes = client.takes();
    EXPECT_EQ(echoes.size(), given / message.size() * reply(kBinary, std::string(300, 'b')).size());
    EXPECT_TRUE(client.is_read());
}

TEST(Memory, OfAMessageIsTakenAsItComes) {
    Socket client({.message_bytes = std::size_t{1} << 40U});
    const std::string head("\x82\xff\0\0\0\xff\0\0\0\0mask", 14);  // Of a tebibyte, almost.
    EXPECT_EQ(client.says(head + "abc"), "");
    EXPECT_EQ(client.end(), End::open);
}

TEST(Codes, ThatMayBeSent) {
    for (const unsigned code :
         {0U, 999U, 1004U, 1005U, 1006U, 1015U, 1016U, 2999U, 5000U, 65535U}) {
        EXPECT_FALSE(is_close_code(static_cast<std::uint16_t>(code))) << code;
    }
    for (const unsigned code : {1000U, 1001U, 1003U, 1007U, 1011U, 1014U, 3000U, 4999U}) {
        EXPECT_TRUE(is_close_code(static_cast<std::uint16_t>(code))) << code;
    }
}

}  // namespace
}  // namespace brick::ws::testing
