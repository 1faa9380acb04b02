// Command server answers the workloads with Iris, as its documentation would write it.
package main

import (
	"crypto/sha256"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/kataras/iris/v12"
	"github.com/kataras/iris/v12/context"
)

type advert struct {
	Result string `json:"result"`
}

func hello(ctx iris.Context) {
	ctx.Text("Hello, World!")
}

func empty(ctx iris.Context) {
	ctx.StatusCode(iris.StatusOK)
}

func fillBuffer(ctx iris.Context) {
	ctx.JSON(advert{Result: "Hello world"})
}

func echo(ctx iris.Context) {
	body, err := ctx.GetBody()
	if err != nil {
		ctx.StopWithError(iris.StatusBadRequest, err)
		return
	}
	ctx.ContentType("text/plain")
	ctx.Write(body)
}

// writeJSON is what ctx.JSON does here: Iris's own would end the body with a line break.
func writeJSON(ctx iris.Context, value any, _ *context.JSON) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	_, err = ctx.Write(body)
	return err
}

func slow(ctx iris.Context) {
	time.Sleep(5 * time.Millisecond)
	hello(ctx)
}

func upload(ctx iris.Context) {
	digest := sha256.New()
	if _, err := io.Copy(digest, ctx.Request().Body); err != nil {
		ctx.StopWithError(iris.StatusBadRequest, err)
		return
	}
	ctx.Text("%x", digest.Sum(nil))
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

func forward(ctx iris.Context) {
	kind, body, err := ask()
	if err != nil {
		ctx.StopWithError(iris.StatusBadGateway, err)
		return
	}
	ctx.ContentType(kind)
	ctx.Write(body)
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
	context.WriteJSON = writeJSON

	app := iris.New()
	app.Get("/", hello)
	app.Get("/empty", empty)
	app.Get("/fillbuffer", iris.Compression, fillBuffer)
	app.Post("/echo", echo)
	app.Get("/delay", slow)
	app.Post("/upload", upload)
	app.Get("/forward", forward)
	if files := os.Getenv("STATIC_DIR"); files != "" {
		app.HandleDir("/static", iris.Dir(files))
	}

	server := &http.Server{
		Addr:    net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")),
		Handler: app,
		// The load rotates over contenders: a connection waits for its next turn.
		// No read timeout is set, so it may wait for its first turn as well.
		IdleTimeout: 300 * time.Second,
	}
	// Without the interrupt handler: on SIGTERM it waits for connections, for up to 10 s.
	log.Fatal(app.Run(iris.Raw(func() error { return serve(server) }),
		iris.WithoutStartupLog, iris.WithoutInterruptHandler, iris.WithOptimizations))
}
