package org.example;

import helloworld.GreeterGrpc;
import helloworld.Helloworld.HelloReply;
import helloworld.Helloworld.HelloRequest;
import io.grpc.internal.GrpcUtil;
import io.grpc.netty.shaded.io.grpc.netty.GrpcSslContexts;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.stub.StreamObserver;
import java.io.File;
import java.net.InetSocketAddress;

/** Answers two methods on Netty's event loops. */
public class Server {

  private static class Greeter extends GreeterGrpc.GreeterImplBase {

    @Override
    public void sayHello(HelloRequest request, StreamObserver<HelloReply> replies) {
      replies.onNext(reply(request));
      replies.onCompleted();
    }

    @Override
    public void sayHelloStreamReply(HelloRequest request, StreamObserver<HelloReply> replies) {
      HelloReply reply = reply(request);
      for (int i = 0; i < 10; i++) {
        replies.onNext(reply);
      }
      replies.onCompleted();
    }

    private static HelloReply reply(HelloRequest request) {
      return HelloReply.newBuilder().setMessage("Hello, " + request.getName() + "!").build();
    }
  }

  public static void main(String[] args) throws Exception {
    if (args.length > 0 && args[0].equals("--version")) {
      String version = GrpcUtil.getGrpcBuildVersion().getImplementationVersion();
      System.out.println("grpc-java " + version + ", Java " + System.getProperty("java.version"));
      return;
    }
    NettyServerBuilder server = NettyServerBuilder
        .forAddress(new InetSocketAddress(
            System.getenv("HOST"), Integer.parseInt(System.getenv("PORT"))))
        .withOption(ChannelOption.SO_BACKLOG, 4096)
        .directExecutor()
        .addService(new Greeter());
    if ("h2".equals(System.getenv("PROTOCOL"))) {
      server.sslContext(GrpcSslContexts.forServer(
          new File(System.getenv("TLS_CERT")), new File(System.getenv("TLS_KEY"))).build());
    }
    server.build().start().awaitTermination();
  }
}
