package org.example;

import java.nio.file.Path;
import java.util.List;
import org.eclipse.jetty.client.HttpClient;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import org.eclipse.jetty.server.handler.DefaultHandler;
import org.eclipse.jetty.server.handler.ResourceHandler;
import org.eclipse.jetty.util.resource.ResourceFactory;

/** Jetty embedded, as its programming guide writes it. */
public class Main {

  private static final long IDLE_MS = 300_000;

  public static void main(String[] args) throws Exception {
    if (List.of(args).contains("--version")) {
      System.out.printf("Jetty %s, Java %s%n", Server.getVersion(), Runtime.version());
      return;
    }
    Server server = new Server();
    ServerConnector connector = Protocols.connector(server);
    connector.setHost(System.getenv("HOST"));
    connector.setPort(Integer.parseInt(System.getenv("PORT")));
    connector.setAcceptQueueSize(4096);
    connector.setIdleTimeout(IDLE_MS);
    server.addConnector(connector);

    // As many connections to the upstream as there are requests under way; the default is 64.
    HttpClient client = new HttpClient();
    client.setMaxConnectionsPerDestination(8192);
    client.setMaxRequestsQueuedPerDestination(8192);
    client.setIdleTimeout(IDLE_MS);
    server.addBean(client);

    Handler.Sequence all = new Handler.Sequence(new Answers(client));
    String folder = System.getenv("STATIC_DIR");
    if (folder != null) {
      ResourceHandler files = new ResourceHandler();
      files.setBaseResource(ResourceFactory.of(files).newResource(Path.of(folder)));
      all.addHandler(new ContextHandler(files, "/static"));
    }
    all.addHandler(new DefaultHandler(false, false));
    server.setHandler(all);
    server.start();
  }
}
