/// The fields that a server itself must understand: Host, Content-Length, Transfer-Encoding,
/// Connection and Expect (RFC 9112 sections 3.2, 6 and 9; RFC 9110 section 10.1.1).
#pragma once

#include "http/head.hpp"

namespace brick::http {

/// Gathers, field by field, what those fields say; gives the verdict on all of them at the end.
class KnownFields {
public:
    /// Sets what `head` is without any field. Its request line has been parsed; it outlives this.
    explicit KnownFields(Head& head) noexcept;

    /// Looks at a field of a token and a checked value. Returns 0, or 400, 417 or 501.
    [[nodiscard]] int note(const Field& field) noexcept {
        // Most fields are of no interest, and nearly all of those differ in length.
        constexpr std::uint32_t lengths = 1U << 4U | 1U << 6U | 1U << 10U | 1U << 14U | 1U << 17U;
        const std::size_t length = field.name.size();
        return length < 18 && (lengths >> length & 1U) != 0 ? note_named(field) : 0;
    }

    /// Behind the last field: 0 or 400.
    [[nodiscard]] int finish() noexcept;

private:
    int note_named(const Field& field) noexcept;
    int note_host(std::string_view value) noexcept;
    int note_length(std::string_view value) noexcept;
    int note_codings(std::string_view value) noexcept;
    int note_expectations(std::string_view value) noexcept;
    void note_connection(std::string_view value) noexcept;

    Head& head_;
    bool has_host_ = false;
    bool has_coding_ = false;          // A Transfer-Encoding came.
    bool has_foreign_coding_ = false;  // It named one that isn't chunked.
    bool closes_ = false;
    bool keeps_alive_ = false;
};

}  // namespace brick::http
