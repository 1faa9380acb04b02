// An HTTP/1.1 server on epoll whose requests cost so many units of one kind of work.
//
//   work --port N --kind arithmetic|memory|syscalls|allocation --units N
//
// It answers whatever ends a head. Requests of a pipeline are answered one by one.
#define _GNU_SOURCE
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { WORDS = 1 << 20, KEPT = 1024, BLOCK = 256, CLIENTS = 4096 };

static const char answer[] =
    "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 13\r\n\r\nHello, World!";
static uint32_t *chain;
static char *kept[KEPT];
static volatile uint64_t sink = 1;

static void arithmetic(long units) {
    uint64_t value = sink;
    for (long n = 0; n < 20 * units; n++) value = value * 6364136223846793005u + 1442695040888963407u;
    sink = value;
}

// Dependent loads all over 4 MiB: each waits for the one before it.
static void memory(long units) {
    static uint32_t at;
    for (long n = 0; n < units; n++) at = chain[at];
    sink += at;
}

static void syscalls(long units) {
    for (long n = 0; n < units; n++) sink += (uint64_t)syscall(SYS_getppid);
}

static void allocation(long units) {
    static unsigned next;
    for (long n = 0; n < units; n++) {
        free(kept[next % KEPT]);
        char *block = malloc(BLOCK + next % 64);
        memset(block, (int)n, BLOCK);
        kept[next++ % KEPT] = block;
    }
}

static void prepare_chain(void) {
    chain = malloc(WORDS * sizeof *chain);
    for (uint32_t n = 0; n < WORDS; n++) chain[n] = n;
    uint64_t chance = 7;
    for (uint32_t n = WORDS - 1; n > 0; n--) {
        // Sattolo's shuffle: a single cycle through all of them.
        chance = chance * 6364136223846793005u + 1442695040888963407u;
        uint32_t other = (uint32_t)((chance >> 33) % n), held = chain[n];
        chain[n] = chain[other];
        chain[other] = held;
    }
}

int main(int count, char **words) {
    int port = 0;
    long units = 0;
    void (*work)(long) = arithmetic;
    for (int n = 1; n + 1 < count; n += 2) {
        if (!strcmp(words[n], "--port")) port = atoi(words[n + 1]);
        if (!strcmp(words[n], "--units")) units = atol(words[n + 1]);
        if (!strcmp(words[n], "--kind"))
            work = !strcmp(words[n + 1], "memory")     ? memory
                   : !strcmp(words[n + 1], "syscalls") ? syscalls
                   : !strcmp(words[n + 1], "allocation") ? allocation
                                                         : arithmetic;
    }
    prepare_chain();
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0), on = 1;
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(listener, (struct sockaddr *)&address, sizeof address) || listen(listener, 4096)) {
        perror("listen");
        return 1;
    }
    int poll = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.fd = listener}, ready[256];
    epoll_ctl(poll, EPOLL_CTL_ADD, listener, &event);
    static unsigned ends[CLIENTS];  // How much of the empty line that ends a head each has sent.
    for (;;) {
        int n = epoll_wait(poll, ready, 256, -1);
        for (int at = 0; at < n; at++) {
            int client = ready[at].data.fd;
            if (client == listener) {
                int accepted = accept4(listener, NULL, NULL, SOCK_NONBLOCK);
                if (accepted < 0) continue;
                if (accepted >= CLIENTS) {
                    close(accepted);
                    continue;
                }
                setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
                ends[accepted] = 0;
                event.data.fd = accepted;
                epoll_ctl(poll, EPOLL_CTL_ADD, accepted, &event);
                continue;
            }
            char bytes[4096];
            ssize_t got = read(client, bytes, sizeof bytes);
            if (got <= 0) {
                close(client);
                continue;
            }
            for (ssize_t b = 0; b < got; b++) {
                unsigned *end = &ends[client];
                *end = bytes[b] == "\r\n\r\n"[*end] ? *end + 1 : bytes[b] == '\r';
                if (*end < 4) continue;
                *end = 0;
                work(units);
                if (write(client, answer, sizeof answer - 1) < 0) break;
            }
        }
    }
}
