package org.example;

import io.vertx.core.DeploymentOptions;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.PemKeyCertOptions;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/** One of these runs on each event loop; Vert.x hands them the connections in turn. */
public class Server extends VerticleBase {

  private static final String FILES = System.getenv("STATIC_DIR");
  private static final String UPSTREAM = System.getenv("UPSTREAM");

  private HttpClient client;

  @Override
  public Future<?> start() {
    // As many connections to the upstream as there are requests under way; the default is 5.
    client = vertx.createHttpClient(
        new HttpClientOptions().setKeepAliveTimeout(300),
        new PoolOptions().setHttp1MaxSize(8192));
    HttpServerOptions options = new HttpServerOptions()
        .setHost(System.getenv("HOST"))
        .setPort(Integer.parseInt(System.getenv("PORT")))
        .setAcceptBacklog(4096)
        // Only for clients that ask for it, whatever the size of the body.
        .setCompressionSupported(true)
        .setCompressionContentSizeThreshold(0);
    // In cleartext it takes each connection for what its first bytes say.
    switch (String.valueOf(System.getenv("PROTOCOL"))) {
      case "h1-tls" -> overTls(options, HttpVersion.HTTP_1_1);
      case "h2" -> overTls(options, HttpVersion.HTTP_2);
      default -> { }
    }
    return vertx.createHttpServer(options).requestHandler(this::handle).listen();
  }

  private static void overTls(HttpServerOptions options, HttpVersion version) {
    options
        .setSsl(true)
        .setUseAlpn(true)
        .setAlpnVersions(List.of(version))
        .setKeyCertOptions(new PemKeyCertOptions()
            .setCertPath(System.getenv("TLS_CERT"))
            .setKeyPath(System.getenv("TLS_KEY")))
        // AES-128-GCM alone: Java would take AES-256.
        .addEnabledCipherSuite("TLS_AES_128_GCM_SHA256")
        .addEnabledCipherSuite("TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
  }

  private void handle(HttpServerRequest request) {
    switch (request.path()) {
      case "/" -> answer(request, "text/plain", Buffer.buffer("Hello, World!"));
      case "/empty" -> answer(request, "text/plain", Buffer.buffer());
      case "/fillbuffer" ->
        answer(request, "application/json", new JsonObject().put("result", "Hello world").toBuffer());
      case "/echo" -> {
        if (request.method() == HttpMethod.POST) {
          request.body().onSuccess(body -> answer(request, "text/plain", body));
        } else {
          request.response().setStatusCode(404).end();
        }
      }
      case "/delay" ->
        vertx.setTimer(5, id -> answer(request, "text/plain", Buffer.buffer("Hello, World!")));
      case "/upload" -> upload(request);
      case "/forward" -> forward(request);
      default -> {
        if (FILES != null && request.path().startsWith("/static/")) {
          Path name = Path.of(request.path()).getFileName();
          request.response().sendFile(Path.of(FILES).resolve(name).toString())
              .onFailure(failure -> request.response().setStatusCode(404).end());
        } else {
          request.response().setStatusCode(404).end();
        }
      }
    }
  }

  private static void upload(HttpServerRequest request) {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
    request.handler(piece -> digest.update(piece.getBytes()));
    request.endHandler(end -> answer(request, "text/plain",
        Buffer.buffer(HexFormat.of().formatHex(digest.digest()))));
  }

  private void forward(HttpServerRequest request) {
    client.request(new RequestOptions().setAbsoluteURI(UPSTREAM + "/"))
        .compose(HttpClientRequest::send)
        .compose(answer -> answer.body().onSuccess(
            body -> answer(request, answer.getHeader(HttpHeaders.CONTENT_TYPE), body)))
        .onFailure(failure -> request.response().setStatusCode(502).end());
  }

  private static void answer(HttpServerRequest request, String type, Buffer body) {
    request.response().putHeader(HttpHeaders.CONTENT_TYPE, type).end(body);
  }

  public static void main(String[] args) {
    if (List.of(args).contains("--version")) {
      System.out.printf("Vert.x %s, Java %s%n",
          Vertx.class.getPackage().getImplementationVersion(), Runtime.version());
      return;
    }
    int workers = Integer.parseInt(System.getenv("WORKERS"));
    Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(workers));
    vertx.deployVerticle(Server.class, new DeploymentOptions().setInstances(workers))
        .onFailure(failure -> {
          failure.printStackTrace();
          System.exit(1);
        });
  }
}
