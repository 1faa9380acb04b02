#include "http/editions.hpp"

#include <utility>

namespace brick::http {

Editions::~Editions() {
    for (Edition* edition : current_) delete edition;
}

Edition& Editions::renewed(std::size_t at, const Rendered& answer, Connection connection,
                           const Date& date) {
    if (at >= current_.size()) current_.resize(at + 1);
    Edition*& edition = current_[at];
    if (edition == nullptr || edition->borrowers_ > 0) {
        auto next = std::make_unique<Edition>();
        next->bytes_.resize(answer.bytes(connection, true));
        static_cast<void>(answer.write(next->bytes_.data(), connection, true, date));
        if (edition != nullptr) edition->is_current_ = false;
        edition = next.release();
    } else {
        answer.set_date(edition->bytes_.data(), date);
    }
    edition->second_ = date.second();
    return *edition;
}

}  // namespace brick::http
