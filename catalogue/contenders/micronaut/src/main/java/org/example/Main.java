package org.example;

import io.micronaut.core.version.VersionUtils;
import io.micronaut.runtime.Micronaut;
import java.net.URI;
import java.util.List;
import java.util.Map;

public class Main {

  public static void main(String[] args) {
    if (List.of(args).contains("--version")) {
      System.out.printf("Micronaut %s, Java %s%n",
          VersionUtils.getMicronautVersion(), Runtime.version());
      return;
    }
    Micronaut.build(args).mainClass(Main.class).banner(false).properties(database()).start();
  }

  /** The pool's settings, without which there is none. JDBC wants the name and the password apart. */
  private static Map<String, Object> database() {
    if (System.getenv("DATABASE_URL") == null) {
      return Map.of();
    }
    URI url = URI.create(System.getenv("DATABASE_URL"));
    String[] login = url.getUserInfo().split(":", 2);
    return Map.of(
        "datasources.default.url",
        "jdbc:postgresql://%s:%d%s".formatted(url.getHost(), url.getPort(), url.getPath()),
        "datasources.default.username", login[0],
        "datasources.default.password", login[1],
        "datasources.default.maximum-pool-size", 16);
  }
}
