package org.example;

import io.smallrye.common.annotation.NonBlocking;
import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import org.eclipse.microprofile.rest.client.inject.RestClient;

/** What doesn't block is answered on the event loop, which Quarkus does by itself for a Uni. */
@Path("/")
public class Server {

  public record Result(String result) {}

  @RestClient
  Upstream upstream;

  @GET
  @NonBlocking
  @Produces(MediaType.TEXT_PLAIN)
  public String hello() {
    return "Hello, World!";
  }

  @GET
  @Path("/empty")
  @NonBlocking
  @Produces(MediaType.TEXT_PLAIN)
  public String empty() {
    return "";
  }

  @GET
  @Path("/fillbuffer")
  @NonBlocking
  @Produces(MediaType.APPLICATION_JSON)
  public Result fillbuffer() {
    return new Result("Hello world");
  }

  @POST
  @Path("/echo")
  @NonBlocking
  @Consumes(MediaType.TEXT_PLAIN)
  @Produces(MediaType.TEXT_PLAIN)
  public String echo(String body) {
    return body;
  }

  @GET
  @Path("/delay")
  @Produces(MediaType.TEXT_PLAIN)
  public Uni<String> delay() {
    return Uni.createFrom().item("Hello, World!")
        .onItem().delayIt().by(Duration.ofMillis(5));
  }

  @POST
  @Path("/upload")
  @Produces(MediaType.TEXT_PLAIN)
  public String upload(InputStream body) throws IOException, NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    byte[] piece = new byte[65536];
    for (int length; (length = body.read(piece)) > 0; ) {
      digest.update(piece, 0, length);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  @GET
  @Path("/forward")
  public Uni<Response> forward() {
    return upstream.hello().map(answer ->
        Response.ok(answer.readEntity(byte[].class), answer.getMediaType()).build());
  }
}
