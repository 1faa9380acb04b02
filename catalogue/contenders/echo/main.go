// Command server answers the workloads with Echo, as its documentation would write it.
package main

import (
	"encoding/json"
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
