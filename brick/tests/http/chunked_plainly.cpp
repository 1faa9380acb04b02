#include "http/chunked_plainly.hpp"

#include <algorithm>
#include <functional>

namespace brick::http::testing {
namespace {

struct Stop {
    Decoded::End end;
    int refusal;
};

bool is_blank(char c) { return c == ' ' || c == '\t'; }

bool is_hex(char c) {
    return std::string_view("0123456789abcdefABCDEF").find(c) != std::string::npos;
}

bool is_tchar(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("!#$%&'*+-.^_`|~").find(c) != std::string_view::npos;
}

bool is_text(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
}

/// A recursive descent through the grammar; it ends by throwing a Stop, or at the body's end.
class Descent {
public:
    Descent(std::string_view input, std::size_t overhead, Decoded& out)
        : input_(input), overhead_(overhead), out_(out) {}

    void body() {
        while (chunk()) {
        }
        while (next() != '\r') {
            trailer();
        }
        line_end();
    }

private:
    using Test = std::function<bool(char)>;

    char next() {
        if (out_.consumed == input_.size()) {
            throw Stop{Decoded::End::more, 0};
        }
        return input_[out_.consumed];
    }

    char take(const Test& good) {
        const char byte = next();
        if (!good(byte)) {
            throw Stop{Decoded::End::refused, 400};
        }
        ++out_.consumed;
        return byte;
    }

    void take(char wanted) {
        take([wanted](char byte) { return byte == wanted; });
    }

    /// A byte of an extension or a trailer.
    void spend(const Test& good) {
        if (good(next()) && overhead_-- == 0) {
            throw Stop{Decoded::End::refused, 431};
        }
        take(good);
    }

    void spend(char wanted) {
        spend([wanted](char byte) { return byte == wanted; });
    }

    void line_end() {
        take('\r');
        take('\n');
    }

    void token() {
        spend(is_tchar);
        while (is_tchar(next())) {
            spend(is_tchar);
        }
    }

    void blanks() {
        while (is_blank(next())) {
            spend(is_blank);
        }
    }

    /// Returns false for the last one.
    bool chunk() {
        std::string digits(1, take(is_hex));
        while (is_hex(next())) {
            if (digits.size() == 16 || (digits.size() == 15 && digits[0] > '7')) {
                throw Stop{Decoded::End::refused, 400};
            }
            digits += take(is_hex);
        }
        while (next() != '\r') {
            extension();
        }
        line_end();
        const std::uint64_t size = std::stoull(digits, nullptr, 16);
        if (size == 0) {
            return false;
        }
        const std::string_view data = input_.substr(out_.consumed, size);
        out_.data += data;
        out_.consumed += data.size();
        if (data.size() < size) {
            throw Stop{Decoded::End::more, 0};
        }
        line_end();
        return true;
    }

    /// BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ]; blanks after a name may be those
    /// before the next ";".
    void extension() {
        blanks();
        spend(';');
        blanks();
        token();
        const bool has_blanks = is_blank(next());
        blanks();
        if (next() == '=') {
            spend('=');
            blanks();
            if (next() == '"') {
                quoted();
            } else {
                token();
            }
        } else if (has_blanks && next() != ';') {
            throw Stop{Decoded::End::refused, 400};
        }
    }

    void quoted() {
        spend('"');
        while (next() != '"') {
            if (next() == '\\') {
                spend('\\');
            }
            spend(is_text);
        }
        spend('"');
    }

    void trailer() {
        token();
        spend(':');
        while (next() != '\r') {
            spend(is_text);
        }
        line_end();
    }

    std::string_view input_;
    std::size_t overhead_;
    Decoded& out_;
};

}  // namespace

Decoded decode_plainly(std::string_view input, std::size_t overhead_bytes) {
    Decoded out;
    try {
        Descent(input, overhead_bytes, out).body();
        out.end = Decoded::End::done;
    } catch (const Stop& stop) {
        out.end = stop.end;
        out.refusal = stop.refusal;
    }
    return out;
}

}  // namespace brick::http::testing
