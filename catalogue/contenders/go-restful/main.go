// Command server answers the workloads with go-restful, as its documentation would write it.
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
	"path/filepath"
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

func slow(request *restful.Request, response *restful.Response) {
	time.Sleep(5 * time.Millisecond)
	hello(request, response)
}

func upload(request *restful.Request, response *restful.Response) {
	digest := sha256.New()
	if _, err := io.Copy(digest, request.Request.Body); err != nil {
		response.WriteError(http.StatusBadRequest, err)
		return
	}
	response.AddHeader("Content-Type", "text/plain")
	fmt.Fprintf(response, "%x", digest.Sum(nil))
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

func forward(request *restful.Request, response *restful.Response) {
	kind, body, err := ask()
	if err != nil {
		response.WriteError(http.StatusBadGateway, err)
		return
	}
	response.AddHeader("Content-Type", kind)
	response.Write(body)
}

// static serves what is in STATIC_DIR.
func static(request *restful.Request, response *restful.Response) {
	path := filepath.Join(os.Getenv("STATIC_DIR"), filepath.Clean("/"+request.PathParameter("file")))
	http.ServeFile(response.ResponseWriter, request.Request, path)
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
	service.Route(service.GET("/delay").To(slow))
	service.Route(service.POST("/upload").To(upload).Consumes(restful.MIME_OCTET))
	service.Route(service.GET("/forward").To(forward))
	if os.Getenv("STATIC_DIR") != "" {
		service.Route(service.GET("/static/{file}").To(static))
	}

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
