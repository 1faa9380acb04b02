#include "http/editions.hpp"

#include <gtest/gtest.h>

#include <string>

namespace brick::http {
namespace {

Date date_of(std::time_t second) {
    Date date;
    date.set(second);
    return date;
}

std::string written(const Rendered& answer, Connection connection, const Date& date) {
    std::string bytes(answer.bytes(connection, true), '\0');
    static_cast<void>(answer.write(bytes.data(), connection, true, date));
    return bytes;
}

TEST(Editions, AreTheAnswerForEachKindOfConnection) {
    const Rendered one(Fixed(200, "text/plain", "one"), 0);
    const Rendered two(Fixed(404, "text/plain", "two"), 5);
    Editions editions;
    for (const Rendered* answer : {&one, &two, &one}) {
        for (const auto kind : {Connection::silent, Connection::keep_alive, Connection::close}) {
            EXPECT_EQ(editions.current(*answer, kind, date_of(7)).bytes(),
                      written(*answer, kind, date_of(7)));
        }
    }
}

TEST(Editions, GetTheNewDateInPlaceWhenNobodyBorrowsThem) {
    const Rendered answer(Fixed(200, "text/plain", "hello"));
    Editions editions;
    Edition& edition = editions.current(answer, Connection::silent, date_of(7));
    edition.borrow();
    edition.give_back();
    EXPECT_EQ(&editions.current(answer, Connection::silent, date_of(8)), &edition);
    EXPECT_EQ(edition.bytes(), written(answer, Connection::silent, date_of(8)));
}

TEST(Editions, StayAsTheyAreWhileTheyAreLent) {
    const Rendered answer(Fixed(200, "text/plain", "hello"));
    Editions editions;
    Edition& lent = editions.current(answer, Connection::silent, date_of(7));
    lent.borrow();
    lent.borrow();
    Edition& next = editions.current(answer, Connection::silent, date_of(8));
    EXPECT_NE(&next, &lent);
    EXPECT_EQ(next.bytes(), written(answer, Connection::silent, date_of(8)));
    EXPECT_EQ(lent.bytes(), written(answer, Connection::silent, date_of(7)));
    lent.give_back();
    EXPECT_EQ(lent.bytes(), written(answer, Connection::silent, date_of(7)));
    lent.give_back();  // It is deleted: the sanitizers would report a leak.
    EXPECT_EQ(&editions.current(answer, Connection::silent, date_of(8)), &next);
}

}  // namespace
}  // namespace brick::http
