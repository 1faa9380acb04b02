/// The server that the table expects, on the brick's public API.
#pragma once

#include <cstddef>
#include <fstream>
#include <mutex>
#include <string>
#include <string_view>

#include <brick/brick.hpp>

namespace brick::conformance {

/// A line for each request (method, target, bytes of its body), for a test that checks which
/// requests reached the server. Threads may share it.
class Log {
public:
    /// Appends to a file. Throws std::invalid_argument if it cannot be written.
    explicit Log(const std::string& path);

    void add(std::string_view method, std::string_view target, std::size_t body_bytes);

private:
    std::mutex mutex_;
    std::ofstream file_;
};

/// Adds the routes. With a log, which must outlive the server, handlers answer all paths, even
/// unknown ones, and log.
void serve(Server& server, Log* log = nullptr);

}  // namespace brick::conformance
