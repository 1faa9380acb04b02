// Command server answers the workloads with fasthttp, as its documentation would write it.
package main

import (
	"bytes"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"log"
	"net"
	"os"
	"strings"
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

// upstream has its own pool, of 512 connections by default.
var upstream *fasthttp.HostClient

func forward(ctx *fasthttp.RequestCtx) {
	request, response := fasthttp.AcquireRequest(), fasthttp.AcquireResponse()
	defer fasthttp.ReleaseRequest(request)
	defer fasthttp.ReleaseResponse(response)
	request.SetRequestURI(os.Getenv("UPSTREAM") + "/")
	if err := upstream.Do(request, response); err != nil {
		ctx.Error(err.Error(), fasthttp.StatusBadGateway)
		return
	}
	ctx.SetContentTypeBytes(response.Header.ContentType())
	ctx.SetBody(response.Body())
}

// files serves STATIC_DIR, if there is one: small files from memory, the others by sendfile.
var files fasthttp.RequestHandler

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
	case "/delay":
		time.Sleep(5 * time.Millisecond)
		ctx.SetBodyString("Hello, World!")
	case "/upload":
		fmt.Fprintf(ctx, "%x", sha256.Sum256(ctx.PostBody()))
	case "/forward":
		forward(ctx)
	default:
		if files != nil && bytes.HasPrefix(ctx.Path(), []byte("/static/")) {
			files(ctx)
			return
		}
		ctx.NotFound()
	}
}

func main() {
	upstream = &fasthttp.HostClient{
		Addr:                strings.TrimPrefix(os.Getenv("UPSTREAM"), "http://"),
		MaxConns:            8192,
		MaxIdleConnDuration: 300 * time.Second,
	}
	if folder := os.Getenv("STATIC_DIR"); folder != "" {
		files = fasthttp.FSHandler(folder, 1) // without the first part of the path
	}
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
