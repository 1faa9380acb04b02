#include "http/date.hpp"

#include <algorithm>
#include <chrono>

namespace brick::http {
namespace {

using namespace std::string_view_literals;

char* put(char* out, std::string_view text) noexcept {
    return std::copy(text.begin(), text.end(), out);
}

char* put_two_digits(char* out, unsigned number) noexcept {
    *out++ = static_cast<char>('0' + number / 10);
    *out++ = static_cast<char>('0' + number % 10);
    return out;
}

}  // namespace

void Date::set(std::time_t now) noexcept {
    using namespace std::chrono;
    constexpr std::time_t kEndOf9999 = 253'402'300'799;  // A year has four digits.
    now = std::clamp<std::time_t>(now, 0, kEndOf9999);
    if (now == now_) {
        return;
    }
    now_ = now;
    const sys_seconds time{seconds{now}};
    const sys_days today = floor<days>(time);
    const year_month_day date{today};
    const hh_mm_ss clock{time - today};
    const auto year = static_cast<unsigned>(static_cast<int>(date.year()));
    const std::size_t day_of_week = weekday{today}.c_encoding();
    const std::size_t month = static_cast<unsigned>(date.month()) - 1;

    char* out = text_.data();
    out = put(out, "SunMonTueWedThuFriSat"sv.substr(day_of_week * 3, 3));
    out = put_two_digits(put(out, ", "), static_cast<unsigned>(date.day()));
    out = put(put(out, " "), "JanFebMarAprMayJunJulAugSepOctNovDec"sv.substr(month * 3, 3));
    out = put_two_digits(put_two_digits(put(out, " "), year / 100), year % 100);
    out = put_two_digits(put(out, " "), static_cast<unsigned>(clock.hours().count()));
    out = put_two_digits(put(out, ":"), static_cast<unsigned>(clock.minutes().count()));
    out = put_two_digits(put(out, ":"), static_cast<unsigned>(clock.seconds().count()));
    put(out, " GMT");
}

}  // namespace brick::http
