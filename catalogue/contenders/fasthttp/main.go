// Command server answers the workloads with fasthttp, as its documentation would write it.
package main

import (
	"crypto/tls"
	"encoding/json"
	"log"
	"net"
	"os"
	"time"

	"github.com/valyala/fasthttp"
)

type advert struct {
	Result string `json:"result"`
}

func fillBuffer(ctx *fasthttp.RequestCtx) {
	// Not json.Encoder: it ends each value with a line break.
	body, err := json.Marshal(advert{Result: "Hello world"})
	if err != nil {
		ctx.Error(err.Error(), fasthttp.StatusInternalServerError)
		return
	}
	ctx.SetContentType("application/json")
	ctx.SetBody(body)
}

var fillBufferCompressed = fasthttp.CompressHandler(fillBuffer)

func handle(ctx *fasthttp.RequestCtx) {
	ctx.SetContentType("text/plain")
	switch string(ctx.Path()) {
	case "/":
		ctx.SetBodyString("Hello, World!")
	case "/empty":
	case "/fillbuffer":
		fillBufferCompressed(ctx)
	case "/echo":
		ctx.SetBody(ctx.PostBody())
	default:
		ctx.NotFound()
	}
}

func main() {
	server := &fasthttp.Server{
		Handler: handle,
		// The load rotates over contenders: a connection waits for its next turn.
		// No read timeout is set, so it may wait for its first turn as well.
		IdleTimeout: 300 * time.Second,
	}
	address := net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))
	if os.Getenv("PROTOCOL") == "h1-tls" {
		server.TLSConfig = &tls.Config{NextProtos: []string{"http/1.1"}}
		log.Fatal(server.ListenAndServeTLS(address, os.Getenv("TLS_CERT"), os.Getenv("TLS_KEY")))
	}
	log.Fatal(server.ListenAndServe(address))
}
