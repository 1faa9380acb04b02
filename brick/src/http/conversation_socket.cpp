#include <memory>
#include <string>

#include "http/conversation.hpp"
#include "ws/upgrade.hpp"

namespace brick::http {

void Conversation::upgrade(Service& service, const WebSocket& route) {
    const ws::Upgrade answer = ws::upgrade(service.head);
    if (answer.status == 400) return refuse(service, 400);
    const bool is_upgraded = answer.status == 101;
    std::string head("HTTP/1.1 ");
    head.append(is_upgraded ? "101 Switching Protocols" : "426 Upgrade Required");
    head.append("\r\nDate: ").append(service.date.text()).append("\r\n").append(answer.fields);
    if (!is_upgraded) head.append("Content-Length: 0\r\nConnection: close\r\n");
    output_.append(service.pool, head.append("\r\n"));
    if (!is_upgraded) {
        manner_.keeps = false;
        return answered();
    }
    message().socket = std::make_unique<ws::Endpoint>(route.handler(), service.limits.message_bytes,
                                                      output_, service.pool);
    phase_ = Phase::websocket;
}

std::size_t Conversation::take_frame(std::string_view bytes) {
    const std::size_t taken = message_->socket->receive(bytes);
    if (message_->socket->is_closed()) end_socket();
    return taken;
}

void Conversation::close_socket(std::uint16_t code) noexcept {
    try {
        message_->socket->close(code);
        end_socket();
    } catch (...) {
        abort();
    }
}

// The close frame has to arrive, as a last answer has to.
void Conversation::end_socket() noexcept {
    phase_ = Phase::over;
    end_ = End::linger;
    message_->input.clear();
}

bool Conversation::is_within_socket_message() const noexcept {
    return message_->socket->is_within_message() || !message_->input.empty();
}

}  // namespace brick::http
