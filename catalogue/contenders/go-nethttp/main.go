// Command server answers the workloads with net/http, as its documentation would write it.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/coder/websocket"
	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"
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

func slow(w http.ResponseWriter, r *http.Request) {
	time.Sleep(5 * time.Millisecond)
	hello(w, r)
}

func upload(w http.ResponseWriter, r *http.Request) {
	digest := sha256.New()
	if _, err := io.Copy(digest, r.Body); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "text/plain")
	fmt.Fprintf(w, "%x", digest.Sum(nil))
}

func events(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	for number := 1; number <= 10; number++ {
		fmt.Fprintf(w, "id: %d\ndata: Hello, World!\n\n", number)
		if control.Flush() != nil {
			return
		}
	}
}

// ticks sends an event every 200 ms until the client is gone.
func ticks(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/event-stream")
	control := http.NewResponseController(w)
	ticker := time.NewTicker(200 * time.Millisecond)
	defer ticker.Stop()
	for number := 1; ; number++ {
		fmt.Fprintf(w, "id: %d\ndata: tick\n\n", number)
		if control.Flush() != nil {
			return
		}
		select {
		case <-ticker.C:
		case <-r.Context().Done():
			return
		}
	}
}

// upgraded is the request's connection as a WebSocket, compressed for who offers that; nil if the request is not one.
func upgraded(w http.ResponseWriter, r *http.Request) *websocket.Conn {
	options := &websocket.AcceptOptions{CompressionMode: websocket.CompressionNoContextTakeover}
	connection, err := websocket.Accept(w, r, options)
	if err != nil {
		return nil
	}
	connection.SetReadLimit(1 << 20)
	return connection
}

// messages echoes each unchanged, text or binary.
func messages(w http.ResponseWriter, r *http.Request) {
	connection := upgraded(w, r)
	if connection == nil {
		return
	}
	defer connection.CloseNow()
	for {
		kind, message, err := connection.Read(r.Context())
		if err != nil || connection.Write(r.Context(), kind, message) != nil {
			return
		}
	}
}

// hall has the listeners of each room, by its query.
type hall struct {
	mutex sync.Mutex
	rooms map[string]map[chan said]struct{}
}

type said struct {
	kind    websocket.MessageType
	message []byte
}

func (h *hall) join(room string) chan said {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	listener := make(chan said, 64)
	if h.rooms[room] == nil {
		h.rooms[room] = map[chan said]struct{}{}
	}
	h.rooms[room][listener] = struct{}{}
	return listener
}

func (h *hall) leave(room string, listener chan said) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	delete(h.rooms[room], listener)
	close(listener)
}

func (h *hall) say(room string, what said) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	for listener := range h.rooms[room] {
		select {
		case listener <- what:
		default: // Who is that slow misses it.
		}
	}
}

// listen passes each message on to all of its room. A listener has joined before it knows that it has.
func (h *hall) listen(w http.ResponseWriter, r *http.Request) {
	listener := h.join(r.URL.RawQuery)
	defer h.leave(r.URL.RawQuery, listener)
	connection := upgraded(w, r)
	if connection == nil {
		return
	}
	defer connection.CloseNow()
	go func() {
		for what := range listener {
			if connection.Write(r.Context(), what.kind, what.message) != nil {
				return
			}
		}
	}()
	for {
		kind, message, err := connection.Read(r.Context())
		if err != nil {
			return
		}
		h.say(r.URL.RawQuery, said{kind, message})
	}
}

// client keeps as many connections to the upstream as there are requests under way; by default it
// keeps two of one host.
var client = &http.Client{
	Transport: &http.Transport{MaxIdleConnsPerHost: 8192, IdleConnTimeout: 300 * time.Second},
}

// ask has the upstream's answer: its type and its body.
func ask() (kind string, body []byte, err error) {
	response, err := client.Get(os.Getenv("UPSTREAM") + "/")
	if err != nil {
		return "", nil, err
	}
	defer response.Body.Close()
	// Only a body that was read to its end leaves its connection for the next request.
	body, err = io.ReadAll(response.Body)
	return response.Header.Get("Content-Type"), body, err
}

func forward(w http.ResponseWriter, r *http.Request) {
	kind, body, err := ask()
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", kind)
	w.Write(body)
}

// stream passes the upstream's events on as they come.
func stream(w http.ResponseWriter, r *http.Request) {
	response, err := client.Get(os.Getenv("UPSTREAM") + "/events?" + r.URL.RawQuery)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer response.Body.Close()
	w.Header().Set("Content-Type", response.Header.Get("Content-Type"))
	control := http.NewResponseController(w)
	piece := make([]byte, 4096)
	for {
		n, err := response.Body.Read(piece)
		w.Write(piece[:n])
		if err != nil || control.Flush() != nil {
			return
		}
	}
}

// serve answers over the protocol that PROTOCOL names, and over no other. The standard library has no
// HTTP/3: quic-go's server takes its handlers.
func serve(server *http.Server) error {
	var only http.Protocols
	switch os.Getenv("PROTOCOL") {
	case "h3":
		overQuic := &http3.Server{
			Addr:        server.Addr,
			IdleTimeout: server.IdleTimeout,
			QUICConfig:  &quic.Config{MaxIdleTimeout: server.IdleTimeout},
		}
		return overQuic.ListenAndServeTLS(os.Getenv("TLS_CERT"), os.Getenv("TLS_KEY"))
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
	http.HandleFunc("GET /{$}", hello)
	http.HandleFunc("GET /empty", empty)
	http.HandleFunc("GET /fillbuffer", fillBuffer)
	http.HandleFunc("POST /echo", echo)
	http.HandleFunc("GET /delay", slow)
	http.HandleFunc("POST /upload", upload)
	http.HandleFunc("GET /forward", forward)
	http.HandleFunc("GET /events", events)
	http.HandleFunc("GET /stream", stream)
	http.HandleFunc("GET /ticks", ticks)
	http.HandleFunc("GET /ws", messages)
	talk := &hall{rooms: map[string]map[chan said]struct{}{}}
	http.HandleFunc("GET /room", talk.listen)
	if files := os.Getenv("STATIC_DIR"); files != "" {
		http.Handle("GET /static/", http.StripPrefix("/static/", http.FileServer(http.Dir(files))))
	}
	if os.Getenv("DATABASE_URL") != "" {
		items, err := openItems()
		if err != nil {
			log.Fatal(err)
		}
		http.HandleFunc("GET /row", items.row)
		http.HandleFunc("GET /page", items.page)
	}

	server := &http.Server{
		Addr: net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")),
		// The load rotates over contenders: a connection waits for its next turn.
		// No read timeout is set, so it may wait for its first turn as well.
		IdleTimeout: 300 * time.Second,
	}
	log.Fatal(serve(server))
}
