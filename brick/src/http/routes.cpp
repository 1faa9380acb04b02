#include "http/routes.hpp"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "http/head.hpp"
#include "http/pattern.hpp"

namespace brick::http {
namespace {

// RFC 9110, 9.3 and RFC 5789.
constexpr std::array<std::string_view, 9> kMethods = {
    "CONNECT", "DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "TRACE",
};

std::invalid_argument refusal(std::string_view method, std::string_view pattern,
                              std::string_view why) {
    return std::invalid_argument("route " + std::string(method) + " \"" + std::string(pattern) +
                                 "\": " + std::string(why));
}

void check_method(std::string_view method, std::string_view pattern) {
    if (!is_token(method)) {
        throw refusal(method, pattern, "a method is a token, such as GET");
    }
    if (method == "CONNECT") {
        throw refusal(method, pattern, "CONNECT asks for a host and a port, so it has no path");
    }
}

/// Renders a fixed answer, with this number; refuses an empty function now rather than at the first
/// request.
Ready ready(Answer answer, std::size_t number) {
    if (const Fixed* fixed = std::get_if<Fixed>(&answer)) {
        return Rendered(*fixed, number);
    }
    if (Handler* handler = std::get_if<Handler>(&answer); handler != nullptr && *handler) {
        return std::move(*handler);
    }
    if (Opener* opener = std::get_if<Opener>(&answer); opener != nullptr && *opener) {
        return std::move(*opener);
    }
    if (WebSocket* socket = std::get_if<WebSocket>(&answer);
        socket != nullptr && socket->handler()) {
        return std::move(*socket);
    }
    throw std::invalid_argument("the answer is an empty function; give it one that can be called");
}

std::string allow_text(std::set<std::string, std::less<>> methods) {
    methods.insert("OPTIONS");
    if (methods.contains("GET")) {
        methods.insert("HEAD");
    }
    std::string text;
    for (const std::string& method : methods) {
        text += (text.empty() ? "" : ", ") + method;
    }
    return text;
}

}  // namespace

const Routes::Route* Routes::Place::route(std::string_view method) const noexcept {
    for (const Route& route : routes) {
        if (route.method == method) {
            return &route;
        }
    }
    return method == "HEAD" ? route("GET") : nullptr;
}

void Routes::add(std::string_view method, std::string_view pattern, Answer answer) {
    check_method(method, pattern);
    if (std::holds_alternative<WebSocket>(answer) && method != "GET") {
        throw refusal(method, pattern, "a WebSocket begins with GET");
    }
    std::vector<std::string> names;
    std::optional<Ready> prepared;
    try {
        names = checked_names(pattern, kMostParams);
        prepared = ready(std::move(answer), fixed_);
    } catch (const std::invalid_argument& error) {
        throw refusal(method, pattern, error.what());
    }
    Place& place = this->place(pattern);
    std::set<std::string, std::less<>> methods{std::string(method)};
    for (const Route& other : place.routes) {
        if (!methods.insert(other.method).second) {
            throw refusal(method, pattern, "there is such a route; each is added once");
        }
    }
    place.routes.push_back({std::string(method), std::move(names), std::move(*prepared)});
    if (std::holds_alternative<Rendered>(place.routes.back().answer)) ++fixed_;
    place.allow = allow_text(std::move(methods));
    methods_.insert(std::string(method));
    allow_ = allow_text(methods_);
}

Routes::Place& Routes::place(std::string_view pattern) {
    if (pattern.find('{') == std::string_view::npos) {
        literals_.resize(std::max(literals_.size(), pattern.size() + 1));
        auto& same_length = literals_[pattern.size()];
        for (auto& [literal, place] : same_length) {
            if (literal == pattern) {
                return place;
            }
        }
        return same_length.emplace_back(pattern, Place{}).second;
    }
    Node* node = &root_;
    for (Segments segments(pattern); !segments.done();) {
        const std::string_view segment = segments.next();
        if (is_rest(segment)) {
            return node->rest;
        }
        std::unique_ptr<Node>& next =
            is_name(segment) ? node->name : node->literals[std::string(segment)];
        if (next == nullptr) {
            next = std::make_unique<Node>();
        }
        node = next.get();
    }
    return node->end;
}

void Routes::find(std::string_view method, std::string_view path, Match& match) const noexcept {
    match.answer = nullptr;
    match.allow = {};
    match.method_known = true;
    match.param_count = 0;
    const Place* place = find_place(path, match);
    const Route* route = place != nullptr ? place->route(method) : nullptr;
    if (route != nullptr) {
        match.answer = &route->answer;
        for (const std::string& name : route->names) {
            match.params[match.param_count++].name = name;
        }
        return;
    }
    if (place != nullptr) {
        match.allow = place->allow;
    } else if (path == "*" || path.empty()) {
        match.allow = allow_;
    }
    match.method_known = std::find(kMethods.begin(), kMethods.end(), method) != kMethods.end() ||
                         methods_.contains(method);
}

const Routes::Place* Routes::find_place(std::string_view path, Match& match) const noexcept {
    if (path.size() < literals_.size()) {
        for (const auto& [literal, place] : literals_[path.size()]) {
            if (literal == path) {
                return &place;
            }
        }
    }
    return path.starts_with('/') ? walk(root_, path.substr(1), 0, match) : nullptr;
}

/// `path` is the part after the slash; `count` parameters have their values. A node is visited once
/// at most, so the routes bound the work, not the path.
const Routes::Place* Routes::walk(const Node& node, std::string_view path, std::size_t count,
                                  Match& match) noexcept {
    const std::size_t slash = path.find('/');
    const std::string_view segment = path.substr(0, slash);
    const auto descend = [&](const Node& child, std::size_t params) -> const Place* {
        if (slash != std::string_view::npos) {
            return walk(child, path.substr(slash + 1), params, match);
        }
        return child.end.routes.empty() ? nullptr : &child.end;
    };
    if (const auto child = node.literals.find(segment); child != node.literals.end()) {
        if (const Place* place = descend(*child->second, count)) {
            return place;
        }
    }
    if (node.name != nullptr && !segment.empty()) {
        match.params[count].value = segment;
        if (const Place* place = descend(*node.name, count + 1)) {
            return place;
        }
    }
    if (node.rest.routes.empty()) {
        return nullptr;
    }
    match.params[count].value = path;
    return &node.rest;
}

}  // namespace brick::http
