package org.example;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.client.CompletableResponseListener;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ajax.JSON;

/** All but the files. */
class Answers extends Handler.Abstract {

  private static final String TEXT = "text/plain";

  private final JSON json = new JSON();
  private final HttpClient client;

  Answers(HttpClient client) {
    this.client = client;
  }

  @Override
  public boolean handle(Request request, Response response, Callback callback) throws Exception {
    switch (Request.getPathInContext(request)) {
      case "/" -> answer(response, TEXT, "Hello, World!", callback);
      case "/empty" -> answer(response, TEXT, "", callback);
      case "/fillbuffer" -> answer(
          response, "application/json", json.toJSON(Map.of("result", "Hello world")), callback);
      case "/echo" -> Content.Source.asStringAsync(request, StandardCharsets.UTF_8)
          .thenAccept(body -> answer(response, TEXT, body, callback))
          .exceptionally(failure -> failed(callback, failure));
      case "/delay" -> request.getComponents().getScheduler().schedule(
          () -> answer(response, TEXT, "Hello, World!", callback), 5, TimeUnit.MILLISECONDS);
      case "/upload" -> answer(response, TEXT, digest(request), callback);
      case "/forward" -> new CompletableResponseListener(
          client.newRequest(System.getenv("UPSTREAM") + "/")).send()
          .thenAccept(met -> answer(
              response, met.getMediaType(), met.getContentAsString(), callback))
          .exceptionally(failure -> failed(callback, failure));
      default -> {
        return false;
      }
    }
    return true;
  }

  private static String digest(Request request) throws Exception {
    MessageDigest digest = MessageDigest.getInstance("SHA-256");
    try (var body = Content.Source.asInputStream(request)) {
      byte[] piece = new byte[65536];
      for (int length; (length = body.read(piece)) > 0; ) {
        digest.update(piece, 0, length);
      }
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static void answer(Response response, String type, String body, Callback callback) {
    response.getHeaders().put(HttpHeader.CONTENT_TYPE, type);
    Content.Sink.write(response, true, body, callback);
  }

  private static Void failed(Callback callback, Throwable failure) {
    callback.failed(failure);
    return null;
  }
}
