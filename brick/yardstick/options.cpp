#include "options.hpp"

#include <array>
#include <limits>
#include <stdexcept>

#include "units.hpp"

namespace yardstick {
namespace {

using Value = std::string_view;

struct Flag {
    std::string_view name;
    bool takes_value;
    void (*set)(Options&, Value);
};

brick::Io io(Value text) {
    if (text == "auto") return brick::Io::automatic;
    if (text == "epoll") return brick::Io::epoll;
    if (text == "uring") return brick::Io::uring;
    throw std::invalid_argument("\"" + std::string(text) +
                                "\" is unknown; it takes auto, epoll or uring");
}

constexpr std::uint64_t kAny = std::numeric_limits<std::uint64_t>::max();

constexpr std::array kFlags = {
    Flag{"--host", true, [](Options& o, Value v) { o.host = v; }},
    Flag{"--port", true,
         [](Options& o, Value v) { o.port = static_cast<std::uint16_t>(number(v, 0, 65'535)); }},
    Flag{"--threads", true,
         [](Options& o, Value v) { o.threads = static_cast<unsigned>(number(v, 1, 1024)); }},
    Flag{"--io", true, [](Options& o, Value v) { o.io = io(v); }},
    Flag{"--quiet", false, [](Options& o, Value) { o.quiet = true; }},
    Flag{"--help", false, [](Options& o, Value) { o.help = true; }},
    Flag{"--null", false, [](Options& o, Value) { o.null = true; }},
    Flag{"--delay", true, [](Options& o, Value v) { o.delay = duration(v); }},
    Flag{"--stall", true, [](Options& o, Value v) { o.stall = duration(v); }},
    Flag{"--every", true, [](Options& o, Value v) { o.every = duration(v); }},
    Flag{"--log", true, [](Options& o, Value v) { o.log = v; }},
    Flag{"--slow-every", true, [](Options& o, Value v) { o.slow_every = number(v, 1, kAny); }},
    Flag{"--slow", true, [](Options& o, Value v) { o.slow = duration(v); }},
    Flag{"--exponential", true, [](Options& o, Value v) { o.exponential = duration(v); }},
    Flag{"--seed", true, [](Options& o, Value v) { o.seed = number(v, 0, kAny); }},
    Flag{"--busy", true, [](Options& o, Value v) { o.busy = duration(v); }},
    Flag{"--loops", true, [](Options& o, Value v) { o.causes.loops = number(v, 0, kAny); }},
    Flag{"--body", true, [](Options& o, Value v) { o.body_bytes = size_bytes(v); }},
    Flag{"--chunked", true, [](Options& o, Value v) { o.chunk_bytes = size_bytes(v); }},
    Flag{"--one-byte", false, [](Options& o, Value) { o.piece_bytes = 1; }},
    Flag{"--pieces", true, [](Options& o, Value v) { o.piece_bytes = size_bytes(v); }},
    Flag{"--header", true, [](Options& o, Value v) { o.header_bytes = size_bytes(v); }},
    Flag{"--calls", true, [](Options& o, Value v) { o.causes.calls = number(v, 0, kAny); }},
    Flag{"--allocations", true,
         [](Options& o, Value v) { o.causes.allocations = number(v, 0, kAny); }},
    Flag{"--copy", true, [](Options& o, Value v) { o.causes.copy_bytes = size_bytes(v); }},
    Flag{"--fault", true, [](Options& o, Value v) { o.causes.fault_bytes = size_bytes(v); }},
    Flag{"--line", true, [](Options& o, Value v) { o.causes.log_bytes = size_bytes(v); }},
    Flag{"--to", true, [](Options& o, Value v) { o.causes.log = v; }},
    Flag{"--sleep", true, [](Options& o, Value v) { o.causes.sleep = duration(v); }},
    Flag{"--lock", true, [](Options& o, Value v) { o.causes.lock = duration(v); }},
    Flag{"--clock", true, [](Options& o, Value v) { o.causes.clock = v; }},
    Flag{"--gap", true, [](Options& o, Value v) { o.gap = duration(v); }},
};

const Flag& flag_named(std::string_view name) {
    for (const Flag& flag : kFlags) {
        if (flag.name == name) return flag;
    }
    throw std::invalid_argument("there is no option " + std::string(name) + "; see --help");
}

void demand(bool fulfilled, const char* otherwise) {
    if (!fulfilled) throw std::invalid_argument(otherwise);
}

/// Options that have a meaning only together.
void check_together(const Options& o) {
    demand((o.stall.count() > 0) == (o.every.count() > 0),
           "--stall and --every belong together: --stall 90ms --every 1s");
    demand(o.stall.count() == 0 || o.stall < o.every, "--stall has to be shorter than --every");
    demand(o.log.empty() || o.stall.count() > 0,
           "--log is the log of the stalls: it needs --stall");
    demand((o.slow_every > 0) == (o.slow.count() > 0),
           "--slow-every and --slow belong together: --slow-every 100 --slow 20ms");
    demand(!o.seed || o.exponential.count() > 0, "--seed is for --exponential");
    demand(o.exponential.count() == 0 || o.threads == 1,
           "--exponential is one worker: --threads has to be 1");
    demand(o.gap.count() == 0 || o.piece_bytes > 0,
           "--gap is between two writes: it needs --one-byte or --pieces");
    demand((o.causes.log_bytes > 0) == !o.causes.log.empty(),
           "--line and --to belong together: --line 100 --to access.log");
    demand(o.causes.clock.empty() || o.causes.any(),
           "--clock times what a request does besides its answer: --clock took.json --copy 64KiB");
    const bool answers = o.delay.count() > 0 || o.stall.count() > 0 || o.slow_every > 0 ||
                         o.exponential.count() > 0 || o.busy.count() > 0 || o.causes.any() ||
                         o.body_bytes || o.chunk_bytes > 0 || o.piece_bytes > 0 ||
                         o.header_bytes > 0;
    demand(!o.null || !answers,
           "--null reads no request: of the other options it only takes "
           "--host, --port, --threads, --io and --quiet");
}

}  // namespace

Options parse_options(std::span<const char* const> words) {
    Options options;
    for (std::size_t at = 0; at < words.size(); ++at) {
        const std::string_view word = words[at];
        const std::size_t equals = word.find('=');
        const Flag& flag = flag_named(word.substr(0, equals));
        const bool joined = equals != std::string_view::npos;
        if (joined && !flag.takes_value) {
            throw std::invalid_argument(std::string(flag.name) + " takes no value");
        }
        if (flag.takes_value && !joined && at + 1 == words.size()) {
            throw std::invalid_argument(std::string(flag.name) + " needs a value; see --help");
        }
        Value value;
        if (joined) value = word.substr(equals + 1);
        if (flag.takes_value && !joined) value = words[++at];
        try {
            flag.set(options, value);
        } catch (const std::invalid_argument& error) {
            throw std::invalid_argument(std::string(flag.name) + " " + error.what());
        }
    }
    check_together(options);
    return options;
}

std::string_view help() {
    return R"(brick-yardstick: an HTTP server whose behaviour is known, to hold a measurement against.

It answers GET, HEAD and POST on any path with "Hello, World!", and POST /echo with the request's
body. Without further options it does so as fast as it can. Options add up.

What it does with each request:
  --busy TIME          works so long, by the CPU time of its thread
  --loops N            does so many loops of arithmetic, whatever time they take: twice as many
                       cost twice as much, on a slow day too
  --calls N            calls the kernel so often, with the cheapest of system calls (getppid)
  --allocations N      allocates 256 bytes so often
  --copy SIZE          copies so many bytes
  --fault SIZE         maps so many bytes and touches each page
  --line SIZE          writes so many bytes to a log
  --to FILE            which
  --sleep TIME         sleeps, and its thread serves nobody meanwhile
  --lock TIME          takes a lock that another thread holds for so long, half of the time
  --clock FILE         writes at its end what --loops to --lock took per request, by the CPU time
                       of its thread
  --delay TIME         answers so long after the request; others are served meanwhile
  --slow-every N       every N-th request waits for --slow
  --slow TIME
  --stall TIME         serves nobody for so long, at the end of each --every since its start
  --every TIME
  --log FILE           a line of JSON for each stall that a request met: begin_ns and end_ns, by
                       CLOCK_MONOTONIC
  --exponential TIME   one worker with exponential service times of this mean: requests queue
  --seed N             of the service times (1)
  --null               fixed bytes for whatever arrives, without a look at it: what the
                       machine allows at best, for requests that come one at a time

What it answers:
  --body SIZE          so many bytes
  --chunked SIZE       in chunks of so many bytes
  --header SIZE        with so many bytes of a header more
  --one-byte           each byte of head and body in a write of its own
  --pieces SIZE        in writes of so many bytes
  --gap TIME           between two writes

What it streams: GET and POST /events answer with server-sent events, each written when it is due;
/v1/chat/completions with the events of an OpenAI-style chat, and data: [DONE]. Both take, as in
/events?events=50&gap=20ms&jitter=5ms:
  events=20            so many, each with its number as id
  bytes=16             of each event's text
  first=0ms            from the request to the first event
  gap=10ms             from one to the next
  jitter=0ms           each gap is longer or shorter by up to so much, evenly
  seed=1               of the jitter: the same seed, the same gaps
  clump=1              so many leave together, when the last of them is due
  type=TYPE            the Content-Type
  lie=NAME             what goes wrong at event `at`, the middle one if it isn't given:
    stop                 the answer ends there, as if it were whole
    hang                 nothing more comes; with at=1 nothing at all
    reset                the connection is reset
    twice, drop, swap    it comes twice, or not at all, or after the next
    alter, half          its last byte is another, or half of a character
    comments             comments come instead of events, from the first on
  at=N

Where it listens:
  --host ADDRESS       127.0.0.1
  --port N             8080; 0 takes a free one, which is printed
  --threads N          1
  --io auto|epoll|uring
  --quiet              prints nothing

TIME is a number and ns, us, ms or s; SIZE is bytes, or a number and KiB or MiB.

Examples:
  A server that pauses like a garbage collector:
    brick-yardstick --stall 90ms --every 1s --log stalls.jsonl
  One request in a hundred is slow, the others aren't:
    brick-yardstick --slow-every 100 --slow 20ms
  A queue whose waiting times theory knows (M/M/1):
    brick-yardstick --exponential 1ms --seed 7
  A model that thinks for 200 ms, then says 100 words, 20 ms from one to the next:
    curl -N 'http://127.0.0.1:8080/v1/chat/completions?first=200ms&events=100&gap=20ms'
  Two servers that differ by 5 microseconds of work, and bakeoff finds out:
    bakeoff race './brick-yardstick --busy 5us --port {port}' \
                 './brick-yardstick --busy 10us --port {port}'
)";
}

}  // namespace yardstick
