#include <iostream>
#include <string>

#include <brick/brick.hpp>

/// Greets by name on a free port, which it prints: GET /hello/you.
int main() {
    brick::Server server({.port = 0});
    server.get("/hello/{name}", [](const brick::Request& request) {
        return brick::Response(200, "text/plain", "Hello, " + std::string(request.param("name")));
    });
    server.listen();
    std::cout << server.port() << std::endl;
    server.run_until_signal();
}
