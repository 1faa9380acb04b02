// Command server answers the workloads with Hertz, as its documentation would write it.
package main

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"log"
	"net"
	"os"
	"time"

	"github.com/cloudwego/hertz/pkg/app"
	"github.com/cloudwego/hertz/pkg/app/client"
	"github.com/cloudwego/hertz/pkg/app/server"
	"github.com/cloudwego/hertz/pkg/common/config"
	"github.com/cloudwego/hertz/pkg/common/hlog"
	"github.com/cloudwego/hertz/pkg/protocol"
	"github.com/cloudwego/hertz/pkg/protocol/consts"
)

const idle = 300 * time.Second

type advert struct {
	Result string `json:"result"`
}

func hello(_ context.Context, c *app.RequestContext) {
	c.String(consts.StatusOK, "Hello, World!")
}

func empty(_ context.Context, c *app.RequestContext) {
	c.Status(consts.StatusOK)
}

func fillBuffer(_ context.Context, c *app.RequestContext) {
	c.JSON(consts.StatusOK, advert{Result: "Hello world"})
}

func echo(_ context.Context, c *app.RequestContext) {
	c.Data(consts.StatusOK, "text/plain", c.Request.Body())
}

func slow(ctx context.Context, c *app.RequestContext) {
	time.Sleep(5 * time.Millisecond)
	hello(ctx, c)
}

func upload(_ context.Context, c *app.RequestContext) {
	c.String(consts.StatusOK, "%x", sha256.Sum256(c.Request.Body()))
}

// forward answers what the upstream does. The client's pool has 512 connections by default.
func forward() (app.HandlerFunc, error) {
	upstream, err := client.NewClient(
		client.WithMaxConnsPerHost(8192), client.WithMaxIdleConnDuration(idle),
	)
	return func(ctx context.Context, c *app.RequestContext) {
		request, response := protocol.AcquireRequest(), protocol.AcquireResponse()
		defer protocol.ReleaseRequest(request)
		defer protocol.ReleaseResponse(response)
		request.SetRequestURI(os.Getenv("UPSTREAM") + "/")
		if err := upstream.Do(ctx, request, response); err != nil {
			c.AbortWithMsg(err.Error(), consts.StatusBadGateway)
			return
		}
		c.Data(response.StatusCode(), string(response.Header.ContentType()), response.Body())
	}, err
}

func main() {
	hlog.SetLevel(hlog.LevelWarn)
	options := []config.Option{
		server.WithHostPorts(net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT"))),
		// The load rotates over contenders: a connection waits for its next turn, or for its first.
		server.WithIdleTimeout(idle),
		server.WithKeepAliveTimeout(idle),
		server.WithReadTimeout(idle),
		// On SIGTERM it would wait for 5 s; when a load is over no request comes.
		server.WithExitWaitTime(0),
	}
	if os.Getenv("PROTOCOL") == "h1-tls" {
		certificate, err := tls.LoadX509KeyPair(os.Getenv("TLS_CERT"), os.Getenv("TLS_KEY"))
		if err != nil {
			log.Fatal(err)
		}
		options = append(options, server.WithTLS(&tls.Config{
			Certificates: []tls.Certificate{certificate},
			NextProtos:   []string{"http/1.1"},
		}))
	}
	answers := server.New(options...) // server.Default() would bring the Recovery middleware
	answers.GET("/", hello)
	answers.GET("/empty", empty)
	answers.GET("/fillbuffer", fillBuffer)
	answers.POST("/echo", echo)
	answers.GET("/delay", slow)
	answers.POST("/upload", upload)
	handle, err := forward()
	if err != nil {
		log.Fatal(err)
	}
	answers.GET("/forward", handle)
	if files := os.Getenv("STATIC_DIR"); files != "" {
		answers.StaticFS("/static", &app.FS{Root: files, PathRewrite: app.NewPathSlashesStripper(1)})
	}
	answers.Spin()
}
