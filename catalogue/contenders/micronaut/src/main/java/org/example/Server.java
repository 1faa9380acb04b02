package org.example;

import io.micronaut.core.annotation.Nullable;
import io.micronaut.http.HttpResponse;
import io.micronaut.http.MediaType;
import io.micronaut.http.annotation.Body;
import io.micronaut.http.annotation.Controller;
import io.micronaut.http.annotation.Get;
import io.micronaut.http.annotation.Post;
import io.micronaut.http.client.HttpClient;
import io.micronaut.http.client.annotation.Client;
import io.micronaut.scheduling.TaskExecutors;
import io.micronaut.scheduling.annotation.ExecuteOn;
import io.micronaut.serde.annotation.Serdeable;
import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import reactor.core.publisher.Mono;

/** All but what blocks is answered on the event loop, which is Micronaut's default. */
@Controller
public class Server {

  @Serdeable
  record Result(String result) {}

  private final HttpClient upstream;

  Server(@Client("${upstream}") HttpClient upstream) {
    this.upstream = upstream;
  }

  @Get(produces = MediaType.TEXT_PLAIN)
  String hello() {
    return "Hello, World!";
  }

  @Get(uri = "/empty", produces = MediaType.TEXT_PLAIN)
  String empty() {
    return "";
  }

  @Get("/fillbuffer")
  Result fillbuffer() {
    return new Result("Hello world");
  }

  @Post(uri = "/echo", consumes = MediaType.TEXT_PLAIN, produces = MediaType.TEXT_PLAIN)
  String echo(@Body @Nullable String body) {
    return body == null ? "" : body;
  }

  @Get(uri = "/delay", produces = MediaType.TEXT_PLAIN)
  Mono<String> delay() {
    return Mono.just("Hello, World!").delayElement(Duration.ofMillis(5));
  }

  @Post(uri = "/upload", consumes = MediaType.ALL, produces = MediaType.TEXT_PLAIN)
  @ExecuteOn(TaskExecutors.BLOCKING)
  String upload(@Body InputStream body) throws IOException, NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    byte[] piece = new byte[65536];
    for (int length; (length = body.read(piece)) > 0; ) {
      digest.update(piece, 0, length);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  @Get("/forward")
  Mono<HttpResponse<byte[]>> forward() {
    return Mono.from(upstream.exchange("/", byte[].class)).map(answer ->
        HttpResponse.ok(answer.body()).contentType(answer.getContentType().orElseThrow()));
  }
}
