// Command server answers gRPC with grpc-go, as its documentation's quick start writes it.
package main

import (
	"context"
	"log"
	"net"
	"os"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	pb "example.org/grpc-go/helloworld"
)

type server struct {
	pb.UnimplementedGreeterServer
}

func (s *server) SayHello(_ context.Context, in *pb.HelloRequest) (*pb.HelloReply, error) {
	return &pb.HelloReply{Message: "Hello, " + in.GetName() + "!"}, nil
}

func (s *server) SayHelloStreamReply(in *pb.HelloRequest, out grpc.ServerStreamingServer[pb.HelloReply]) error {
	for range 10 {
		if err := out.Send(&pb.HelloReply{Message: "Hello, " + in.GetName() + "!"}); err != nil {
			return err
		}
	}
	return nil
}

// options has TLS where PROTOCOL asks for it.
func options() []grpc.ServerOption {
	if os.Getenv("PROTOCOL") != "h2" {
		return nil
	}
	creds, err := credentials.NewServerTLSFromFile(os.Getenv("TLS_CERT"), os.Getenv("TLS_KEY"))
	if err != nil {
		log.Fatal(err)
	}
	return []grpc.ServerOption{grpc.Creds(creds)}
}

func main() {
	listener, err := net.Listen("tcp", net.JoinHostPort(os.Getenv("HOST"), os.Getenv("PORT")))
	if err != nil {
		log.Fatal(err)
	}
	s := grpc.NewServer(options()...)
	pb.RegisterGreeterServer(s, &server{})
	log.Fatal(s.Serve(listener))
}
