/// Reads a server's answers, strictly: bytes that a lax client would accept are a fault here.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace brick::conformance {

struct Response {
    int status = 0;
    std::vector<std::pair<std::string, std::string>> fields;
    std::string body;  ///< Without its framing.

    /// The value of the only field of this name, regardless of the case of its letters; the values
    /// of several are joined with ", ".
    [[nodiscard]] std::optional<std::string> field(std::string_view name) const;
};

/// The answers of one connection, in order. No I/O.
class ResponseReader {
public:
    void receive(std::string_view bytes) { bytes_ += bytes; }

    /// The server closed: a body without a length is complete.
    void end() noexcept { ended_ = true; }

    /// The next answer once it is complete. `to_head`: it answers HEAD. Returns nothing while bytes
    /// are missing, and never anything after a `fault`.
    [[nodiscard]] std::optional<Response> next(bool to_head);

    /// The error in the bytes; empty if there is none.
    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

    /// Bytes that do not belong to a complete answer yet.
    [[nodiscard]] std::string_view rest() const noexcept { return bytes_; }

private:
    enum class Got { whole, missing, wrong };

    [[nodiscard]] Got head(Response& into, std::size_t& at);
    [[nodiscard]] Got status_line(std::string_view line, Response& into);
    [[nodiscard]] Got field_line(std::string_view line, Response& into);
    [[nodiscard]] Got body(Response& into, std::size_t& at, bool to_head);
    [[nodiscard]] Got chunked(Response& into, std::size_t& at);
    [[nodiscard]] Got line(std::size_t& at, std::string_view& into);
    [[nodiscard]] Got wrong(std::string what);

    std::string bytes_;
    std::string fault_;
    bool ended_ = false;
};

}  // namespace brick::conformance
