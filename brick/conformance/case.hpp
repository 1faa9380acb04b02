/// A case of the table: a client's bytes, and the answers of a server that follows the RFCs and
/// refuses whatever they leave open to attack.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace brick::conformance {

/// One answer that a case expects. An expectation that is not stated is not checked, except for the
/// rules of every answer: see `Exchange`.
struct Answer {
    int status = 200;
    std::optional<std::string> body{};
    bool to_head = false;  ///< The request was HEAD: no body follows, whatever the head says.
    std::vector<std::string>
        has{};  ///< Header fields: "Allow", or "Allow: GET, HEAD" word by word.
    std::vector<std::string> lacks{};  ///< Names of fields that must not be there.
};

/// The state of the connection after the answers.
enum class After : std::uint8_t {
    keep,   ///< It serves the next request, and nothing comes before that one's answer.
    close,  ///< The server says `Connection: close` and ends it, without a reset.
    cut,    ///< The client ends its half in mid-message: at most one refusal, and no other answer.
};

/// Whether 100 may precede the first answer.
enum class Continue : std::uint8_t { never, may, awaited };

struct Case {
    std::string id{};   ///< "9112-6.3-length-and-coding": the RFC, its section, then words.
    std::string why{};  ///< What is sent and, where it isn't plain, the reason for the answer.
    std::string bytes{};
    std::vector<Answer> answers{};
    After after = After::keep;
    Continue goes_on = Continue::never;
    std::string then{};  ///< Sent once 100 has come, for Continue::awaited.

    /// "RFC 9112, 6.3".
    [[nodiscard]] std::string section() const;
};

/// Every case, section by section. Ids are unique.
[[nodiscard]] const std::vector<Case>& table();

}  // namespace brick::conformance
