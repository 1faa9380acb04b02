/// Tries cases on a server, many connections at a time.
#pragma once

#include <sys/socket.h>

#include <chrono>
#include <functional>
#include <vector>

#include "exchange.hpp"

namespace brick::conformance {

/// The address of the server.
struct Address {
    sockaddr_storage storage{};
    socklen_t bytes = 0;
};

struct Job {
    const Case* of = nullptr;
    Way way = Way::whole;
    Cuts cuts;
};

/// Calls `tell` with the outcome of each job, in the order in which they end. Pieces of a case are
/// sent 1.5 ms apart. A job takes no longer than `patience` from its last byte, sent or received,
/// and five times that in all. Throws std::system_error when no connection can be made.
void run(const Address& server, const std::vector<Job>& jobs,
         const std::function<void(const Job&, const Outcome&)>& tell,
         std::chrono::seconds patience = std::chrono::seconds(2));

}  // namespace brick::conformance
