package org.example;

import io.vertx.ext.web.Router;
import io.vertx.ext.web.handler.FileSystemAccess;
import io.vertx.ext.web.handler.StaticHandler;
import jakarta.enterprise.event.Observes;

/** The files in STATIC_DIR, if it is set, the way the guide serves a local directory. */
public class Files {

  void register(@Observes Router router) {
    String folder = System.getenv("STATIC_DIR");
    if (folder != null) {
      router.route("/static/*").handler(StaticHandler.create(FileSystemAccess.ROOT, folder));
    }
  }
}
