// quic-go-load makes a load over HTTP/3 with quic-go's client, and prints its figures as JSON.
//
// Each connection is a transport of its own, with a UDP socket of its own.
package main

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/quic-go/quic-go/http3"
)

type headers struct{ http.Header }

func (h headers) String() string { return "" }

func (h headers) Set(line string) error {
	name, value, found := strings.Cut(line, ":")
	if !found {
		return errors.New("a header is written Name: value")
	}
	h.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	return nil
}

var (
	connections = flag.Int("c", 1, "open this many connections")
	threads     = flag.Int("t", 1, "run Go code in this many threads")
	streams     = flag.Int("m", 1, "keep this many requests under way on each connection")
	requests    = flag.Int64("n", 0, "end after this many requests")
	seconds     = flag.Float64("d", 0, "end after this many seconds")
	closes      = flag.Bool("close", false, "open a connection for each request")
	host        = flag.String("host", "", "send this authority in place of the URL's")
	serverName  = flag.String("server-name", "", "send this name by SNI in place of the URL's host")
	sent        = headers{http.Header{}}
)

// worker makes one request after the other on one connection.
type worker struct {
	latencies []time.Duration
	bytes     int64
	status    int64
	failed    int64
	failure   string
	buffer    [64 << 10]byte
}

func (w *worker) request(ctx context.Context, transport *http3.Transport, url string) error {
	begin := time.Now()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	request.Header, request.Host = sent.Header, *host
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	// The buffer is used only through a writer that can't read by itself.
	read, err := io.CopyBuffer(struct{ io.Writer }{io.Discard}, answer.Body, w.buffer[:])
	if err != nil {
		return err
	}
	w.latencies = append(w.latencies, time.Since(begin))
	w.bytes += read
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		w.status++
	}
	return nil
}

func (w *worker) work(ctx context.Context, shared *http3.Transport, url string, left *atomic.Int64) {
	for ctx.Err() == nil && (*requests == 0 || left.Add(-1) >= 0) {
		transport := shared
		if *closes {
			transport = connection()
		}
		err := w.request(ctx, transport, url)
		if *closes {
			transport.Close()
		}
		// What is in flight when the time is over is neither an answer nor a failure.
		if err != nil && ctx.Err() == nil {
			w.failed++
			w.failure = err.Error()
		}
	}
}

func connection() *http3.Transport {
	return &http3.Transport{
		TLSClientConfig:    &tls.Config{InsecureSkipVerify: true, ServerName: *serverName},
		DisableCompression: true,
	}
}

func main() {
	flag.Var(sent, "H", "send this header: Name: value")
	flag.Parse()
	if flag.NArg() != 1 || (*requests == 0) == (*seconds == 0) {
		fmt.Fprintln(os.Stderr, "quic-go-load takes one URL, and either -n or -d")
		os.Exit(2)
	}
	runtime.GOMAXPROCS(*threads)
	ctx := context.Background()
	if *seconds > 0 {
		var end context.CancelFunc
		ctx, end = context.WithTimeout(ctx, time.Duration(*seconds*float64(time.Second)))
		defer end()
	}
	var left atomic.Int64
	left.Store(*requests)
	var all sync.WaitGroup
	workers := make([]worker, *connections**streams)
	begin := time.Now()
	for at := range *connections {
		transport := connection()
		defer transport.Close()
		for stream := range *streams {
			all.Add(1)
			go func() {
				defer all.Done()
				workers[at**streams+stream].work(ctx, transport, flag.Arg(0), &left)
			}()
		}
	}
	all.Wait()
	print(workers, time.Since(begin))
}

func print(workers []worker, took time.Duration) {
	var latencies []time.Duration
	var bytes, status, failed int64
	for _, each := range workers {
		latencies = append(latencies, each.latencies...)
		bytes, status, failed = bytes+each.bytes, status+each.status, failed+each.failed
		if each.failure != "" && failed == each.failed {
			fmt.Fprintln(os.Stderr, each.failure)
		}
	}
	slices.Sort(latencies)
	json.NewEncoder(os.Stdout).Encode(map[string]any{
		"requests":   len(latencies),
		"duration_s": took.Seconds(),
		"bytes":      bytes,
		"status":     status,
		"failed":     failed,
		"latency_us": summary(latencies),
	})
}

// summary has the mean, quantiles and maximum of sorted latencies in µs; null where there are none.
func summary(sorted []time.Duration) map[string]float64 {
	if len(sorted) == 0 {
		return nil
	}
	us := func(latency time.Duration) float64 { return float64(latency) / 1e3 }
	var sum float64
	for _, each := range sorted {
		sum += us(each)
	}
	found := map[string]float64{"mean": sum / float64(len(sorted)), "max": us(sorted[len(sorted)-1])}
	for _, percent := range []float64{50, 75, 90, 99, 99.9} {
		rank := int(math.Ceil(percent / 100 * float64(len(sorted))))
		found[fmt.Sprintf("%g", percent)] = us(sorted[rank-1])
	}
	return found
}
