/// Routes whose answers identify the route that was found.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

#include "http/routes.hpp"

namespace brick::http::testing {

/// A route whose answer has the route's method and pattern as its body.
inline void add(Routes& routes, const std::string& method, const std::string& pattern) {
    routes.add(method, pattern, Fixed(200, "text/plain", method + " " + pattern));
}

inline Routes gets(std::initializer_list<std::string> patterns) {
    Routes routes;
    for (const std::string& pattern : patterns) {
        add(routes, "GET", pattern);
    }
    return routes;
}

/// The body of the route that answers; empty if there is none.
inline std::string body(const Match& match) {
    if (match.answer == nullptr) return "";
    const auto& fixed = std::get<Rendered>(*match.answer);
    std::string bytes(fixed.bytes(Connection::silent, true), '\0');
    (void)fixed.write(bytes.data(), Connection::silent, true, Date{});
    return bytes.substr(fixed.bytes(Connection::silent, false));
}

/// The result for a request: the route and its parameters, "405 " and the allowed methods, 404 or
/// 501.
inline std::string found(const Routes& routes, std::string_view method, std::string_view path) {
    Match match;
    routes.find(method, path, match);
    if (!match.method_known) {
        EXPECT_EQ(match.answer, nullptr);
        return "501";
    }
    if (match.answer == nullptr) {
        EXPECT_EQ(match.param_count, 0U);
        return match.allow.empty() ? "404" : "405 " + std::string(match.allow);
    }
    EXPECT_EQ(match.allow, "");
    std::string text = body(match);
    for (std::size_t at = 0; at < match.param_count; ++at) {
        text +=
            " " + std::string(match.params[at].name) + "=" + std::string(match.params[at].value);
    }
    return text;
}

}  // namespace brick::http::testing
