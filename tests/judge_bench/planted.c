/* A server with a known cost: LOOPS rounds of arithmetic for each request, then "Hello, World!".

   The rounds depend on one another and touch no memory, so their time is the processor's alone and
   grows with their number, cold caches or not. Loops and not nanoseconds: a loop that watches a
   clock would be shorter, relative to the rest, whenever the machine is slow.

       planted --port PORT --loops LOOPS

   One thread, epoll, keep-alive, pipelining. A request ends with an empty line and has no body. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { EVENTS = 256, CONNECTIONS = 4096, ROOM = 8192, AT_ONCE = 64 };

static const char ANSWER[] = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n"
                             "Content-Length: 13\r\n\r\nHello, World!";
static const char END[] = "\r\n\r\n";
static unsigned char matched[CONNECTIONS]; /* how much of END the connection has sent so far */

static void work(uint64_t loops) {
    uint64_t x = loops;
    for (uint64_t i = 0; i < loops; i++) {
        x = x * 6364136223846793005u + 1442695040888963407u;
        __asm__ volatile("" : "+r"(x)); /* no compiler may leave it out or fold it */
    }
}

static void fail(const char *what) {
    perror(what);
    exit(1);
}

/* Answers what has come; 0 where the connection is over. */
static int serve(int fd, uint64_t loops) {
    static char in[ROOM], out[AT_ONCE * (sizeof ANSWER - 1)];
    ssize_t got = read(fd, in, sizeof in);
    if (got <= 0)
        return got < 0 && (errno == EAGAIN || errno == EINTR);
    size_t ready = 0;
    for (ssize_t i = 0; i < got; i++) {
        unsigned char *seen = &matched[fd];
        *seen = in[i] == END[*seen] ? *seen + 1 : in[i] == END[0];
        int whole = *seen == sizeof END - 1;
        if (whole) {
            *seen = 0;
            work(loops);
            memcpy(out + ready, ANSWER, sizeof ANSWER - 1);
            ready += sizeof ANSWER - 1;
        }
        if (ready == sizeof out || (ready && i == got - 1)) {
            if (write(fd, out, ready) != (ssize_t)ready)
                return 0;
            ready = 0;
        }
    }
    return 1;
}

int main(int count, char **words) {
    if (count != 5 || strcmp(words[1], "--port") || strcmp(words[3], "--loops")) {
        fprintf(stderr, "usage: planted --port PORT --loops LOOPS\n");
        return 2;
    }
    uint64_t loops = strtoull(words[4], NULL, 10);
    int on = 1, poll = epoll_create1(0), door = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_port = htons(atoi(words[2]))};
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    setsockopt(door, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    if (bind(door, (struct sockaddr *)&here, sizeof here) || listen(door, 4096))
        fail("planted: can't listen");
    struct epoll_event events[EVENTS], wish = {.events = EPOLLIN, .data.fd = door};
    epoll_ctl(poll, EPOLL_CTL_ADD, door, &wish);
    for (;;) {
        int ready = epoll_wait(poll, events, EVENTS, -1);
        if (ready < 0 && errno != EINTR)
            fail("planted: epoll_wait");
        for (int i = 0; i < ready; i++) {
            int fd = events[i].data.fd;
            if (fd != door) {
                if (!serve(fd, loops))
                    close(fd);
                continue;
            }
            fd = accept4(door, NULL, NULL, SOCK_NONBLOCK);
            if (fd < 0)
                continue;
            if (fd >= CONNECTIONS) {
                close(fd);
                continue;
            }
            matched[fd] = 0;
            setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
            wish = (struct epoll_event){.events = EPOLLIN, .data.fd = fd};
            epoll_ctl(poll, EPOLL_CTL_ADD, fd, &wish);
        }
    }
}
