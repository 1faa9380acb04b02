// Command echo sends every frame of a WebSocket back after DELAY_MS: what is behind the contenders of
// ws-forward. It reads and writes a frame in one call each, so that it is seldom the limit.
package main

import (
	"bufio"
	"bytes"
	"io"
	"log"
	"net"
	"os"
	"strconv"
	"time"

	"github.com/gobwas/ws"
)

const (
	bufferBytes = 64 << 10
	frameBytes  = 16 << 20
)

func echo(connection net.Conn, delay time.Duration) {
	defer connection.Close()
	if _, err := ws.Upgrade(connection); err != nil {
		return
	}
	reader := bufio.NewReaderSize(connection, bufferBytes)
	var payload []byte
	var out bytes.Buffer
	for {
		frame, err := ws.ReadHeader(reader)
		if err != nil || frame.Length > frameBytes {
			return
		}
		if int64(cap(payload)) < frame.Length {
			payload = make([]byte, frame.Length)
		}
		payload = payload[:frame.Length]
		if _, err := io.ReadFull(reader, payload); err != nil {
			return
		}
		if frame.Masked {
			ws.Cipher(payload, frame.Mask, 0)
			frame.Masked = false
		}
		if frame.OpCode == ws.OpPing {
			frame.OpCode = ws.OpPong
		}
		time.Sleep(delay)
		out.Reset()
		if ws.WriteHeader(&out, frame) != nil {
			return
		}
		out.Write(payload)
		if _, err := connection.Write(out.Bytes()); err != nil || frame.OpCode == ws.OpClose {
			return
		}
	}
}

func main() {
	delayMs, err := strconv.Atoi(os.Getenv("DELAY_MS"))
	if err != nil {
		delayMs = 0 // It was started by hand.
	}
	delay := time.Duration(delayMs) * time.Millisecond
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")))
	if err != nil {
		log.Fatal(err)
	}
	for {
		connection, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go echo(connection, delay)
	}
}
