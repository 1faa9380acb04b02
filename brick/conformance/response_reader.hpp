/// Reads a server's answers, strictly: what a lax client would let pass is a fault here.
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

    /// The value of the only field of this name, whatever the case of its letters; the values of
    /// several are joined with ", ".
    [[nodiscard]] std::optional<std::string> field(std::string_view name) const;
};

/// The answers of one connection, in order. No I/O.
class ResponseReader {
public:
    void receive(std::string_view bytes) { bytes_ += bytes; }

    /// The server closed: a body without a length is whole.
    void end() noexcept { ended_ = true; }

    /// The next answer once it is whole. `to_head` says that it answers HEAD. Nothing while bytes
    /// are missing, and nothing for ever once `fault` says something.
    [[nodiscard]] std::optional<Response> next(bool to_head);

    /// What is wrong with the bytes; empty if nothing is.
    [[nodiscard]] const std::string& fault() const noexcept { return fault_; }

    /// Bytes that belong to no whole answer yet.
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
