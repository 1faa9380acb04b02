#include <brick/brick.hpp>

/// Answers `curl http://127.0.0.1:8080/` until Ctrl-C.
int main() {
    brick::Server server({.port = 8080});
    server.get("/", brick::Fixed(200, "text/plain", "Hello, World!"));
    server.run_until_signal();
}
