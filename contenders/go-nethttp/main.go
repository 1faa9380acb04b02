// Command server answers "/" and "/empty" with net/http, as its documentation would write it.
package main

import (
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"
)

func hello(w http.ResponseWriter, r *http.Request) {
	// "/" is also the pattern of every path that nothing else matches.
	if r.URL.Path != "/" {
		http.NotFound(w, r)
		return
	}
	// Set it, or net/http sniffs the body and adds a charset.
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, "Hello, World!")
}

func empty(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
}

func main() {
	http.HandleFunc("/", hello)
	http.HandleFunc("/empty", empty)

	server := &http.Server{
		Addr: net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")),
		// The load rotates over contenders: a connection waits for its next turn.
		// No read timeout is set, so it may wait for its first turn as well.
		IdleTimeout: 300 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}
