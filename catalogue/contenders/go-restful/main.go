// Command server answers the workloads with go-restful, as its documentation would write it.
package main

import (
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/emicklei/go-restful/v3"
)

type advert struct {
	Result string `json:"result"`
}

func hello(request *restful.Request, response *restful.Response) {
	response.AddHeader("Content-Type", "text/plain")
	io.WriteString(response, "Hello, World!")
}

func empty(request *restful.Request, response *restful.Response) {
	response.AddHeader("Content-Type", "text/plain")
}

func fillBuffer(request *restful.Request, response *restful.Response) {
	response.WriteEntity(advert{Result: "Hello world"})
}

func echo(request *restful.Request, response *restful.Response) {
	body, err := io.ReadAll(request.Request.Body)
	if err != nil {
		response.WriteError(http.StatusBadRequest, err)
		return
	}
	response.AddHeader("Content-Type", "text/plain")
	response.Write(body)
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
	// WriteEntity indents; without PrettyPrintResponses it would end the body with a line break.
	// This is go-restful's own place for another way to write JSON.
	restful.MarshalIndent = func(value any, _, _ string) ([]byte, error) {
		return json.Marshal(value)
	}

	service := new(restful.WebService)
	service.Route(service.GET("/").To(hello))
	service.Route(service.GET("/empty").To(empty))
	service.Route(service.GET("/fillbuffer").To(fillBuffer).
		Produces(restful.MIME_JSON).ContentEncodingEnabled(true))
	service.Route(service.POST("/echo").To(echo))

	container := restful.NewContainer()
	container.Add(service)

	server := &http.Server{
		Addr:    net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")),
		Handler: container,
		// The load rotates over contenders: a connection waits for its next turn.
		// No read timeout is set, so it may wait for its first turn as well.
		IdleTimeout: 300 * time.Second,
	}
	log.Fatal(serve(server))
}
