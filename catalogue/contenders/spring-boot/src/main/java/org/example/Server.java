package org.example;

import java.util.List;
import org.apache.catalina.util.ServerInfo;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

@SpringBootApplication
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
}
