// Command planted is a server of net/http whose requests cost one thing more.
package main

import (
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"
)

var (
	port        = flag.Int("port", 8080, "")
	loops       = flag.Int("loops", 0, "of arithmetic")
	calls       = flag.Int("calls", 0, "of getppid")
	allocations = flag.Int("allocations", 0, "of 256 bytes")
	line        = flag.Int("line", 0, "bytes, written to a log")
	to          = flag.String("to", "", "which")
	header      = flag.Int("header", 0, "bytes of a header more")
	sleep       = flag.Int("sleep", 0, "microseconds")

	sink uint64
	kept [1024][]byte
)

//go:noinline
func arithmetic(n int) {
	x := sink
	for ; n > 0; n-- {
		x = x*6364136223846793005 + 1442695040888963407
	}
	sink = x
}

//go:noinline
func call(n int) {
	for ; n > 0; n-- {
		syscall.Getppid()
	}
}

//go:noinline
func allocate(n int) {
	for i := 0; i < n; i++ {
		kept[i%len(kept)] = make([]byte, 256)
	}
}

func main() {
	flag.Parse()
	var file *os.File
	if *line > 0 {
		var err error
		file, err = os.OpenFile(*to, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
		if err != nil {
			log.Fatal(err)
		}
	}
	text := []byte(strings.Repeat(".", max(*line-1, 0)) + "\n")
	more := strings.Repeat("x", *header)
	http.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		arithmetic(*loops)
		call(*calls)
		allocate(*allocations)
		if file != nil {
			file.Write(text)
		}
		if *sleep > 0 {
			time.Sleep(time.Duration(*sleep) * time.Microsecond)
		}
		if more != "" {
			w.Header().Set("X-More", more)
		}
		w.Header().Set("Content-Type", "text/plain")
		io.WriteString(w, "Hello, World!")
	})
	log.Fatal(http.ListenAndServe(fmt.Sprintf("127.0.0.1:%d", *port), nil))
}
