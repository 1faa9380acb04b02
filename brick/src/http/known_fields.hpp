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

    /// Looks at a field, its name a token. Returns 0, or 400, 417 or 501.
    [[nodiscard]] int note(const Field& field) noexcept;

    /// Behind the last field: 0 or 400.
    [[nodiscard]] int finish() noexcept;

private:
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
