// Command server answers the workloads with chi on net/http, as its documentation would write it.
package main

import (
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/go-chi/chi/v5"
	"github.com/go-chi/chi/v5/middleware"
)

type advert struct {
	Result string `json:"result"`
}

func hello(w http.ResponseWriter, r *http.Request) {
	// Set it, or net/http sniffs the body and adds a charset.
	w.Header().Set("Content-Type", "text/plain")
	io.WriteString(w, "Hello, World!")
}

func empty(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/plain")
}

func fillBuffer(w http.ResponseWriter, r *http.Request) {
	// Not json.Encoder: it ends each value with a line break.
	body, err := json.Marshal(advert{Result: "Hello world"})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Write(body)
}

func echo(w http.ResponseWriter, r *http.Request) {
	// Not io.Copy: net/http would send the head at once, and the body in chunks.
	body, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	w.Write(body)
}

// serve answers over the protocol that PROTOCOL names, and over no other.
func serve(server *http.Server) error {
	var only http.Protocols
	switch os.Getenv("PROTOCOL") {
	case "h1-tls":
		only.SetHTTP1(true)
	case "h2":
		only.SetHTTP2(true)
	case "h2c":
		only.SetUnencryptedHTTP2(true)
		server.Protocols = &only
		return server.ListenAndServe()
	default:
		return server.ListenAndServe()
	}
	server.Protocols = &only
	return server.ListenAndServeTLS(os.Getenv("TLS_CERT"), os.Getenv("TLS_KEY"))
}

func main() {
	router := chi.NewRouter()
	router.Get("/", hello)
	router.Get("/empty", empty)
	// 5 is the level that chi calls sensible.
	router.With(middleware.Compress(5)).Get("/fillbuffer", fillBuffer)
	router.Post("/echo", echo)

	server := &http.Server{
		Addr:    net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")),
		Handler: router,
		// The load rotates over contenders: a connection waits for its next turn.
		// No read timeout is set, so it may wait for its first turn as well.
		IdleTimeout: 300 * time.Second,
	}
	log.Fatal(serve(server))
}
