/// Finds the answer for a method and a path.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <brick/request.hpp>
#include <brick/server.hpp>

#include "http/render.hpp"

namespace brick::http {

inline constexpr std::size_t kMostParams = 16;

/// A route's prepared answer: a fixed one is rendered.
using Ready = std::variant<Rendered, Handler, Opener, WebSocket>;

/// The result of `Routes::find`. It may be used for successive requests; a new one clears all of
/// `params`, which costs more than finding a route.
struct Match {
    const Ready* answer = nullptr;  // Null: no such route.
    std::string_view allow;  // Without an answer: the value of Allow if the path has other methods.
    bool method_known = true;  // False: no route at all and no RFC has this method (501).
    std::size_t param_count = 0;
    std::array<Field, kMostParams> params;  // Names are the routes' own, values are the path's.
};

/// All routes of a server. Reading is safe from any number of threads once the last is added.
///
/// The path alone chooses among the patterns: of those that match, the one that has a literal where
/// the other has a name, or `{name}` where the other has `{name...}`, at the first difference. Only
/// then comes the method. So POST /a/b is answered with 405 if there are GET /a/b and POST /a/{x}.
class Routes {
public:
    /// Throws std::invalid_argument as Server::route does.
    void add(std::string_view method, std::string_view pattern, Answer answer);

    /// Fills `match`, whose views are the routes' and the path's. HEAD takes GET's route where it
    /// has none of its own. No allocation. For the path `*`, and the empty one of CONNECT, `allow`
    /// names every method that a route has, and OPTIONS.
    void find(std::string_view method, std::string_view path, Match& match) const noexcept;

private:
    struct Route {
        std::string method;
        std::vector<std::string> names;  // GET /{x} and PUT /{y} may share a place.
        Ready answer;
    };

    /// All routes of equal patterns, apart from their names.
    struct Place {
        std::vector<Route> routes;
        std::string allow;

        [[nodiscard]] const Route* route(std::string_view method) const noexcept;
    };

    /// The segments after a `/` in the patterns that have names.
    struct Node {
        std::map<std::string, std::unique_ptr<Node>, std::less<>> literals;
        std::unique_ptr<Node> name;
        Place end;   // The pattern that ends with this segment.
        Place rest;  // The pattern with `{name...}` after it.
    };

    [[nodiscard]] Place& place(std::string_view pattern);
    [[nodiscard]] const Place* find_place(std::string_view path, Match& match) const noexcept;
    [[nodiscard]] static const Place* walk(const Node& node, std::string_view path,
                                           std::size_t count, Match& match) noexcept;

    // Patterns without names, by their length: few routes share one, so `/` takes one comparison.
    std::vector<std::vector<std::pair<std::string, Place>>> literals_;
    Node root_;
    std::set<std::string, std::less<>> methods_;
    std::string allow_ = "OPTIONS";  // The value for all places.
    std::size_t fixed_ = 0;          // The number of fixed answers.
};

}  // namespace brick::http
