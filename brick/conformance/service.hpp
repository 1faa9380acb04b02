/// What the table expects of a server, on the brick's public API.
#pragma once

#include <cstddef>
#include <fstream>
#include <mutex>
#include <string>
#include <string_view>

#include <brick/brick.hpp>

namespace brick::conformance {

/// A line a request (method, target, bytes of its body), for a test that asks what reached the
/// server. Threads may share it.
class Log {
public:
    /// Appends to a file. Throws std::invalid_argument if it can't be written.
    explicit Log(const std::string& path);

    void add(std::string_view method, std::string_view target, std::size_t body_bytes);

private:
    std::mutex mutex_;
    std::ofstream file_;
};

/// Adds the routes. With a log, which must outlive the server, handlers answer all paths, those
/// that aren't there too, and log.
void serve(Server& server, Log* log = nullptr);

}  // namespace brick::conformance
