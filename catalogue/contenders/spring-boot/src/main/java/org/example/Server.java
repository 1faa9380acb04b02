package org.example;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import org.apache.catalina.util.ServerInfo;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

// It would not start without a database; Database.java has one where there is one.
@SpringBootApplication(exclude = DataSourceAutoConfiguration.class)
@RestController
public class Server {

  record Result(String result) {}

  public static void main(String[] args) {
    if (List.of(args).contains("--version")) {
      System.out.printf("Spring Boot %s, %s, Java %s%n",
          SpringBootVersion.getVersion(), ServerInfo.getServerInfo(), Runtime.version());
      return;
    }
    SpringApplication.run(Server.class, args);
  }

  @GetMapping(path = "/", produces = MediaType.TEXT_PLAIN_VALUE)
  String hello() {
    return "Hello, World!";
  }

  @GetMapping(path = "/empty", produces = MediaType.TEXT_PLAIN_VALUE)
  String empty() {
    return "";
  }

  @GetMapping(path = "/fillbuffer", produces = MediaType.APPLICATION_JSON_VALUE)
  Result fillbuffer() {
    return new Result("Hello world");
  }

  @PostMapping(path = "/echo", consumes = MediaType.TEXT_PLAIN_VALUE, produces = MediaType.TEXT_PLAIN_VALUE)
  byte[] echo(@RequestBody byte[] body) {
    return body;
  }

  @GetMapping(path = "/delay", produces = MediaType.TEXT_PLAIN_VALUE)
  String delay() throws InterruptedException {
    Thread.sleep(5);
    return "Hello, World!";
  }

  @PostMapping(path = "/upload", produces = MediaType.TEXT_PLAIN_VALUE)
  String upload(InputStream body) throws IOException, NoSuchAlgorithmException {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    byte[] piece = new byte[65536];
    for (int length; (length = body.read(piece)) > 0; ) {
      digest.update(piece, 0, length);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  // Java's own client keeps its connections; left alone it would ask for HTTP/2 in each request.
  private final RestClient client = RestClient.builder()
      .requestFactory(new JdkClientHttpRequestFactory(
          HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()))
      .build();

  @GetMapping("/forward")
  ResponseEntity<byte[]> forward() {
    ResponseEntity<byte[]> answer =
        client.get().uri(System.getenv("UPSTREAM") + "/").retrieve().toEntity(byte[].class);
    return ResponseEntity.ok().contentType(answer.getHeaders().getContentType()).body(answer.getBody());
  }
}
