// Command server answers the workloads with Gin, as its documentation would write it.
package main

import (
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/gin-contrib/gzip"
	"github.com/gin-gonic/gin"
)

type advert struct {
	Result string `json:"result"`
}

func hello(c *gin.Context) {
	c.String(http.StatusOK, "Hello, World!")
}

func empty(c *gin.Context) {
	c.Status(http.StatusOK)
}

func fillBuffer(c *gin.Context) {
	c.JSON(http.StatusOK, advert{Result: "Hello world"})
}

func echo(c *gin.Context) {
	body, err := c.GetRawData()
	if err != nil {
		c.AbortWithStatus(http.StatusBadRequest)
		return
	}
	c.Data(http.StatusOK, "text/plain", body)
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
	gin.SetMode(gin.ReleaseMode)
	router := gin.New() // gin.Default() would bring the access log
	router.GET("/", hello)
	router.GET("/empty", empty)
	router.GET("/fillbuffer", gzip.Gzip(gzip.DefaultCompression), fillBuffer)
	router.POST("/echo", echo)

	server := &http.Server{
		Addr:    net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")),
		Handler: router,
		// The load rotates over contenders: a connection waits for its next turn.
		// No read timeout is set, so it may wait for its first turn as well.
		IdleTimeout: 300 * time.Second,
	}
	log.Fatal(serve(server))
}
