// A handler's view of a request.
#include <brick/request.hpp>

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace brick {
namespace {

constexpr std::array kFields = {
    Field{"Host", "example.org"},
    Field{"accept", "text/html"},
    Field{"Accept", "text/plain"},
    Field{"X-Empty", ""},
};

Request request_with_fields() {
    Request request;
    request.fields = kFields;
    return request;
}

TEST(RequestField, IsFoundWhateverTheCase) {
    const Request request = request_with_fields();
    EXPECT_EQ(request.field("host"), "example.org");
    EXPECT_EQ(request.field("HOST"), "example.org");
}

TEST(RequestField, IsTheFirstOfItsName) {
    EXPECT_EQ(request_with_fields().field("Accept"), "text/html");
}

TEST(RequestField, ThatIsEmptyIsNotOneThatIsMissing) {
    const Request request = request_with_fields();
    EXPECT_EQ(request.field("x-empty"), "");
    EXPECT_EQ(request.field("x-missing"), std::nullopt);
    EXPECT_EQ(request.field("Hos"), std::nullopt);
    EXPECT_EQ(request.field(""), std::nullopt);
}

TEST(RequestParam, IsFoundByItsExactName) {
    constexpr std::array kParams = {Field{"user", "ann"}, Field{"file", "a%20b"}};
    Request request;
    request.params = kParams;
    EXPECT_EQ(request.param("user"), "ann");
    EXPECT_EQ(request.param("file"), "a%20b") << "it is not decoded";
    EXPECT_EQ(request.param("User"), "");
    EXPECT_EQ(request.param("other"), "");
}

TEST(PercentDecoded, TurnsDigitsIntoBytes) {
    EXPECT_EQ(percent_decoded(""), "");
    EXPECT_EQ(percent_decoded("plain+text"), "plain+text") << "a + is a + in a path";
    EXPECT_EQ(percent_decoded("a%20b"), "a b");
    EXPECT_EQ(percent_decoded("%2F%2f%c3%A4"), "//\xc3\xa4");
    EXPECT_EQ(percent_decoded("%2525"), "%25") << "once only";
    EXPECT_EQ(percent_decoded("%00"), std::string(1, '\0'));
}

TEST(PercentDecoded, IsNothingWithoutTwoDigits) {
    for (const char* text : {"%", "%2", "a%", "a%4", "%g0", "%0g", "%%41", "% 1", "%+1", "%-1",
                             "%0x", "%@1", "%1`", "ok%20%"}) {
        EXPECT_EQ(percent_decoded(text), std::nullopt) << text;
    }
}

TEST(PercentDecoded, GivesBackEveryByteThatWasEncoded) {
    std::string bytes;
    std::string encoded;
    for (int byte = 0; byte < 256; ++byte) {
        bytes += static_cast<char>(byte);
        const char* const digits = byte % 2 == 0 ? "0123456789abcdef" : "0123456789ABCDEF";
        encoded += {'%', digits[byte / 16], digits[byte % 16]};
    }
    EXPECT_EQ(percent_decoded(encoded), bytes);
}

}  // namespace
}  // namespace brick
