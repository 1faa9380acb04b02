#include "http/output.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace brick::http {
namespace {

const Rendered& hello_answer() {
    static const Rendered answer(Fixed(200, "text/plain", "hello"));
    return answer;
}

TEST(Output, GivesWhatWasAppendedInItsOrder) {
    Pool pool;
    Output output;
    output.append(pool, "one ");
    output.append(pool, "two");
    EXPECT_EQ(output.unsent(), 7U);
    EXPECT_EQ(output.next(), "one two");
    output.sent(pool, 4);
    EXPECT_EQ(output.next(), "two");
    output.sent(pool, 3);
    EXPECT_EQ(output.next(), "");
    EXPECT_EQ(output.unsent(), 0U);
}

TEST(Output, LeavesInPlaceWhatIsBeingSent) {
    Pool pool;
    Output output;
    output.append(pool, "on its way");
    const std::string_view sending = output.next();
    output.append(pool, std::string(100'000, 'x'));
    EXPECT_EQ(output.next().data(), sending.data());
    EXPECT_EQ(output.next(), "on its way");
    output.sent(pool, 3);
    EXPECT_EQ(output.next().data(), sending.data() + 3);
    output.clear(pool);
}

TEST(Output, CommitsAsMuchOfItsRoomAsWasWritten) {
    Pool pool;
    Output output;
    for (const std::size_t bytes : {10, 2048, 5000}) {
        char* room = output.room(pool, bytes);
        std::fill_n(room, bytes, 'r');
        output.commit(5);
    }
    EXPECT_EQ(output.next(), std::string(15, 'r'));
    output.clear(pool);
    EXPECT_EQ(output.unsent(), 0U);
}

TEST(Output, KeepsItsOrderUnderAnyAmounts) {
    std::mt19937 random(2);
    Pool pool;
    Output output;
    std::string appended;
    std::string taken;
    for (int time = 0; time < 2000; ++time) {
        const std::string piece(random() % 3000, static_cast<char>('a' + time % 26));
        output.append(pool, piece);
        appended += piece;
        const std::string_view next = output.next();
        const std::size_t bytes = next.empty() ? 0 : random() % (next.size() + 1);
        taken += next.substr(0, bytes);
        if (bytes > 0) output.sent(pool, bytes);
        ASSERT_EQ(appended.size() - taken.size(), output.unsent());
    }
    while (!output.next().empty()) {
        taken += output.next();
        output.sent(pool, output.next().size());
    }
    EXPECT_EQ(taken, appended);
}

TEST(Output, SendsAFixedAnswerFromWhereItLies) {
    Pool pool;
    Editions editions;
    Edition& hello = editions.current(hello_answer(), Connection::silent, Date{});
    Output output;
    output.append(pool, hello, hello.bytes().size());
    EXPECT_EQ(output.next().data(), hello.bytes().data());
    output.append(pool, "more");  // The kernel may read already: it stays.
    EXPECT_EQ(output.next(), hello.bytes());
    output.sent(pool, 3);
    EXPECT_EQ(output.next(), hello.bytes().substr(3));
    output.sent(pool, hello.bytes().size() - 3);
    EXPECT_EQ(output.next(), "more");
    output.clear(pool);
}

TEST(Output, SendsSmallFixedAnswersTogether) {
    Pool pool;
    Editions editions;
    Edition& hello = editions.current(hello_answer(), Connection::silent, Date{});
    const std::string bytes(hello.bytes());
    Output output;
    for (int count = 0; count < 3; ++count) output.append(pool, hello, bytes.size());
    EXPECT_EQ(output.next(), bytes + bytes + bytes);
    output.clear(pool);
}

TEST(Output, SendsALargeFixedAnswerAloneAndOfItsHeadTheHeadOnly) {
    Pool pool;
    Editions editions;
    const Rendered large(Fixed(200, "text/plain", std::string(10'000, 'x')));
    Edition& edition = editions.current(large, Connection::silent, Date{});
    Output output;
    output.append(pool, edition, edition.bytes().size());
    output.append(pool, "more");
    EXPECT_EQ(output.unsent(), edition.bytes().size() + 4);
    EXPECT_EQ(output.next().data(), edition.bytes().data());
    output.clear(pool);
    output.append(pool, edition, large.bytes(Connection::silent, false));
    EXPECT_EQ(output.next().size(), edition.bytes().size() - 10'000);
    output.clear(pool);
}

TEST(Pool, LendsTheLastChunkGivenFirst) {
    Pool pool;
    char* const one = pool.take();
    char* const two = pool.take();
    pool.give(one);
    pool.give(two);
    EXPECT_EQ(pool.take(), two);
    pool.give(two);
}

TEST(Pool, KeepsWhatWasUsedSinceTheLastTrim) {
    Pool pool;
    std::vector<char*> chunks(3);
    for (char*& chunk : chunks) chunk = pool.take();
    for (char* chunk : chunks) pool.give(chunk);
    pool.trim();  // All three were lent since the beginning.
    char* const used = pool.take();
    pool.give(used);
    EXPECT_EQ(used, chunks[2]);
    pool.trim();  // The other two are freed.
    EXPECT_EQ(pool.take(), used);
    pool.give(used);
}

}  // namespace
}  // namespace brick::http
