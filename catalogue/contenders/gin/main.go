// Command server answers the workloads with Gin, as its documentation would write it.
package main

import (
	"crypto/sha256"
	"io"
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

func slow(c *gin.Context) {
	time.Sleep(5 * time.Millisecond)
	hello(c)
}

func upload(c *gin.Context) {
	digest := sha256.New()
	if _, err := io.Copy(digest, c.Request.Body); err != nil {
		c.AbortWithStatus(http.StatusBadRequest)
		return
	}
	c.String(http.StatusOK, "%x", digest.Sum(nil))
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

func forward(c *gin.Context) {
	kind, body, err := ask()
	if err != nil {
		c.AbortWithStatus(http.StatusBadGateway)
		return
	}
	c.Data(http.StatusOK, kind, body)
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
	router.GET("/delay", slow)
	router.POST("/upload", upload)
	router.GET("/forward", forward)
	if files := os.Getenv("STATIC_DIR"); files != "" {
		router.Static("/static", files)
	}
	if os.Getenv("DATABASE_URL") != "" {
		stored, err := openItems()
		if err != nil {
			log.Fatal(err)
		}
		router.GET("/row", stored.row)
		router.GET("/page", stored.page)
	}

	server := &http.Server{
		Addr:    net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")),
		Handler: router,
		// The load rotates over contenders: a connection waits for its next turn.
		// No read timeout is set, so it may wait for its first turn as well.
		IdleTimeout: 300 * time.Second,
	}
	log.Fatal(serve(server))
}
