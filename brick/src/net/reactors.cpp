#include "net/reactors.hpp"

#include <cerrno>
#include <system_error>

namespace brick::net {

Io chosen_io(Io wanted) {
    if (wanted == Io::epoll) return Io::epoll;
#if BRICK_HAS_URING
    try {
        probe_uring();
        return Io::uring;
    } catch (const std::system_error&) {
        if (wanted == Io::uring) throw;
        return Io::epoll;
    }
#else
    if (wanted == Io::automatic) return Io::epoll;
    throw std::system_error(ENOSYS, std::system_category(),
                            "this brick was built without liburing");
#endif
}

}  // namespace brick::net
