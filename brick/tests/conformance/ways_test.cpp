#include "ways.hpp"

#include <gtest/gtest.h>

namespace brick::conformance {
namespace {

TEST(Ways, AShortMessageIsCutAtEachPoint) {
    EXPECT_EQ(points(4), (Cuts{1, 2, 3}));
    EXPECT_EQ(points(512).size(), 511U);
    EXPECT_EQ(connections(4, Way::whole), (std::vector<Cuts>{{}}));
    EXPECT_EQ(connections(4, Way::bytes), (std::vector<Cuts>{{1, 2, 3}}));
    EXPECT_EQ(connections(4, Way::splits), (std::vector<Cuts>{{1}, {2}, {3}}));
}

TEST(Ways, ALongOneAtItsBeginningItsEndAndBetween) {
    for (const std::size_t bytes :
         {std::size_t{513}, std::size_t{65'536}, std::size_t{2'000'000}}) {
        const Cuts cuts = points(bytes);
        EXPECT_EQ(cuts.size(), bytes > 65'536 ? 32U : 384U);
        EXPECT_EQ(cuts.front(), 1U);
        EXPECT_EQ(cuts.back(), bytes - 1);
        for (std::size_t i = 1; i < cuts.size(); ++i) EXPECT_LT(cuts[i - 1], cuts[i]);
    }
}

}  // namespace
}  // namespace brick::conformance
