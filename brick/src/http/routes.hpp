/// From a method and a path to an answer.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include <brick/request.hpp>
#include <brick/server.hpp>

#include "http/render.hpp"

namespace brick::http {

inline constexpr std::size_t kMostParams = 16;

/// A route's answer, ready to be given: a fixed one is rendered.
struct Leaf;

struct Match {
    const std::variant<Rendered, Handler, Opener>* answer = nullptr;  // Null: no such route.
    std::string_view allow;  // Where the path has other methods: the value of Allow; else empty.
    bool method_known = true;  // False: no route at all and no RFC has this method (501).
    std::size_t param_count = 0;
    std::array<Field, kMostParams> params;  // Names are the routes' own, values are the path's.
};

/// All routes of a server. Reading is safe from any number of threads once the last is added.
class Routes {
public:
    Routes();
    ~Routes();

    /// Throws std::invalid_argument as Server::route says.
    void add(std::string_view method, std::string_view pattern, Answer answer);

    /// Fills `match`. HEAD takes GET's route where it has none of its own. No allocation.
    /// For the path `*`, `allow` names every method that a route has.
    void find(std::string_view method, std::string_view path, Match& match) const noexcept;
};

}  // namespace brick::http
