package org.example;

import io.quarkus.vertx.http.HttpServerOptionsCustomizer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpVersion;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;

/** TLS agrees on exactly the protocol that was asked for; Quarkus itself would offer both. */
@ApplicationScoped
public class Protocols implements HttpServerOptionsCustomizer {

  @Override
  public void customizeHttpsServer(HttpServerOptions options) {
    boolean isHttp2 = "h2".equals(System.getenv("PROTOCOL"));
    options.setUseAlpn(true).setAlpnVersions(
        List.of(isHttp2 ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1));
  }
}
