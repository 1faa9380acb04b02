// A server of net/http whose requests cost so many units of one kind of work.
package main

import (
	"flag"
	"fmt"
	"net/http"
	"runtime"
	"sync/atomic"
	"syscall"
)

const (
	words = 1 << 20
	kept  = 1024
)

var (
	chain = make([]uint32, words)
	ring  [kept][]byte
	next  atomic.Uint32
	sink  atomic.Uint64
	place atomic.Uint32
)

func arithmetic(units int) {
	value := sink.Load()
	for n := 0; n < 20*units; n++ {
		value = value*6364136223846793005 + 1442695040888963407
	}
	sink.Store(value)
}

// Dependent loads all over 4 MiB: each waits for the one before it.
func memory(units int) {
	at := place.Load()
	for n := 0; n < units; n++ {
		at = chain[at]
	}
	place.Store(at)
}

func syscalls(units int) {
	for n := 0; n < units; n++ {
		syscall.Getppid()
	}
}

func allocation(units int) {
	for n := 0; n < units; n++ {
		at := next.Add(1)
		ring[at%kept] = make([]byte, 256+at%64)
	}
}

func main() {
	port := flag.Int("port", 0, "where it listens")
	kind := flag.String("kind", "arithmetic", "arithmetic, memory, syscalls or allocation")
	units := flag.Int("units", 0, "of work in a request")
	flag.Parse()
	runtime.GOMAXPROCS(1)
	for n := range chain {
		chain[n] = uint32(n)
	}
	chance := uint64(7)
	for n := words - 1; n > 0; n-- {
		// Sattolo's shuffle: a single cycle through all of them.
		chance = chance*6364136223846793005 + 1442695040888963407
		other := int((chance >> 33) % uint64(n))
		chain[n], chain[other] = chain[other], chain[n]
	}
	work := map[string]func(int){
		"arithmetic": arithmetic, "memory": memory, "syscalls": syscalls, "allocation": allocation,
	}[*kind]
	answer := []byte("Hello, World!")
	http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", *port), http.HandlerFunc(
		func(out http.ResponseWriter, _ *http.Request) {
			work(*units)
			out.Header().Set("Content-Type", "text/plain")
			out.Write(answer)
		}))
}
