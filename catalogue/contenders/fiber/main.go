// Command server answers the workloads with Fiber, as its documentation would write it.
package main

import (
	"crypto/sha256"
	"crypto/tls"
	"encoding/hex"
	"log"
	"net"
	"os"
	"time"

	"github.com/gofiber/fiber/v3"
	"github.com/gofiber/fiber/v3/client"
	"github.com/gofiber/fiber/v3/middleware/static"
	"github.com/valyala/fasthttp"
)

type advert struct {
	Result string `json:"result"`
}

func hello(c fiber.Ctx) error {
	c.Type("txt")
	return c.SendString("Hello, World!")
}

func empty(c fiber.Ctx) error {
	return c.Type("txt").Send(nil)
}

func fillBuffer(c fiber.Ctx) error {
	return c.JSON(advert{Result: "Hello world"})
}

func echo(c fiber.Ctx) error {
	return c.Type("txt").Send(c.Body())
}

func slow(c fiber.Ctx) error {
	time.Sleep(5 * time.Millisecond)
	return hello(c)
}

func upload(c fiber.Ctx) error {
	digest := sha256.Sum256(c.Body())
	return c.Type("txt").SendString(hex.EncodeToString(digest[:]))
}

// upstream has its own pool, of 512 connections by default.
var upstream = client.NewWithClient(&fasthttp.Client{
	MaxConnsPerHost:     8192,
	MaxIdleConnDuration: 300 * time.Second,
})

func forward(c fiber.Ctx) error {
	answer, err := upstream.Get(os.Getenv("UPSTREAM") + "/")
	if err != nil {
		return fiber.NewError(fiber.StatusBadGateway, err.Error())
	}
	defer answer.Close()
	c.Set(fiber.HeaderContentType, answer.Header(fiber.HeaderContentType))
	return c.Status(answer.StatusCode()).Send(answer.Body())
}

func main() {
	app := fiber.New(fiber.Config{
		// The load rotates over contenders: a connection waits for its next turn.
		// No read timeout is set, so it may wait for its first turn as well.
		IdleTimeout: 300 * time.Second,
	})
	app.Get("/", hello)
	app.Get("/empty", empty)
	app.Get("/fillbuffer", fillBuffer)
	app.Post("/echo", echo)
	app.Get("/delay", slow)
	app.Post("/upload", upload)
	app.Get("/forward", forward)
	if files := os.Getenv("STATIC_DIR"); files != "" {
		app.Use("/static", static.New(files))
	}
	if os.Getenv("DATABASE_URL") != "" {
		stored, err := openItems()
		if err != nil {
			log.Fatal(err)
		}
		app.Get("/row", stored.row)
		app.Get("/page", stored.page)
	}

	config := fiber.ListenConfig{DisableStartupMessage: true}
	if os.Getenv("PROTOCOL") == "h1-tls" {
		config.CertFile, config.CertKeyFile = os.Getenv("TLS_CERT"), os.Getenv("TLS_KEY")
		config.TLSConfigFunc = func(terms *tls.Config) { terms.NextProtos = []string{"http/1.1"} }
	}
	log.Fatal(app.Listen(net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")), config))
}
