#include <liburing.h>

#include "kernel/kernel.hpp"
#include "kernel/ring.hpp"

// As in kernel/calls.cpp; there is no other ring in the program.
using brick::fuzz::Ring;

namespace {

Ring& of(const io_uring* ring) { return *static_cast<Ring*>(ring->sq.ring_ptr); }

}  // namespace

extern "C" {
int __wrap_io_uring_queue_init_params(unsigned entries, io_uring* ring, io_uring_params* params) {
    new Ring(*brick::fuzz::kernel, *ring, *params, entries);
    return 0;
}
void __wrap_io_uring_queue_exit(io_uring* ring) { delete &of(ring); }
int __wrap_io_uring_ring_dontfork(io_uring*) { return 0; }
int __wrap_io_uring_register_ring_fd(io_uring*) { return 1; }
int __wrap_io_uring_submit(io_uring* ring) { return of(ring).enter(false); }
int __wrap_io_uring_submit_and_wait(io_uring* ring, unsigned) { return of(ring).enter(true); }
int __wrap_io_uring_register_buf_ring(io_uring* ring, io_uring_buf_reg* registration, unsigned) {
    return of(ring).use_buffers(*registration);
}
int __wrap_io_uring_unregister_buf_ring(io_uring* ring, int) { return of(ring).drop_buffers(); }
}
