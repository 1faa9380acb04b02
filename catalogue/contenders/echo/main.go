// Command server answers the workloads with Echo, as its documentation would write it.
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
	"time"

	"github.com/labstack/echo/v5"
	"github.com/labstack/echo/v5/middleware"
)

type advert struct {
	Result string `json:"result"`
}

func hello(c *echo.Context) error {
	return c.String(http.StatusOK, "Hello, World!")
}

func empty(c *echo.Context) error {
	return c.NoContent(http.StatusOK)
}

func fillBuffer(c *echo.Context) error {
	// Not c.JSON: it ends the body with a line break.
	body, err := json.Marshal(advert{Result: "Hello world"})
	if err != nil {
		return err
	}
	return c.JSONBlob(http.StatusOK, body)
}

func sendBack(c *echo.Context) error {
	body, err := io.ReadAll(c.Request().Body)
	if err != nil {
		return echo.ErrBadRequest
	}
	return c.Blob(http.StatusOK, echo.MIMETextPlain, body)
}

func slow(c *echo.Context) error {
	time.Sleep(5 * time.Millisecond)
	return hello(c)
}

func upload(c *echo.Context) error {
	digest := sha256.New()
	if _, err := io.Copy(digest, c.Request().Body); err != nil {
		return echo.ErrBadRequest
	}
	return c.String(http.StatusOK, fmt.Sprintf("%x", digest.Sum(nil)))
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

func forward(c *echo.Context) error {
	kind, body, err := ask()
	if err != nil {
		return echo.NewHTTPError(http.StatusBadGateway, err.Error())
	}
	return c.Blob(http.StatusOK, kind, body)
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
	e := echo.New()
	e.GET("/", hello)
	e.GET("/empty", empty)
	e.GET("/fillbuffer", fillBuffer, middleware.Gzip())
	e.POST("/echo", sendBack)
	e.GET("/delay", slow)
	e.POST("/upload", upload)
	e.GET("/forward", forward)
	if files := os.Getenv("STATIC_DIR"); files != "" {
		e.StaticFS("/static", os.DirFS(files))
	}
	if os.Getenv("DATABASE_URL") != "" {
		stored, err := openItems()
		if err != nil {
			log.Fatal(err)
		}
		e.GET("/row", stored.row)
		e.GET("/page", stored.page)
	}

	// Not e.Start: it hangs up on a connection that waits for 30 s, and on SIGTERM waits itself.
	server := &http.Server{
		Addr:    net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")),
		Handler: e,
		// The load rotates over contenders: a connection waits for its next turn.
		// No read timeout is set, so it may wait for its first turn as well.
		IdleTimeout: 300 * time.Second,
	}
	log.Fatal(serve(server))
}
