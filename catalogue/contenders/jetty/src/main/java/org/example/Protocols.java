package org.example;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import org.eclipse.jetty.alpn.server.ALPNServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.http2.server.HTTP2ServerConnectionFactory;
import org.eclipse.jetty.server.ConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.SecureRequestCustomizer;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.ssl.SslContextFactory;

/** What listens, by the protocol that was asked for. */
final class Protocols {

  static ServerConnector connector(Server server) throws Exception {
    HttpConfiguration http = new HttpConfiguration();
    return switch (String.valueOf(System.getenv("PROTOCOL"))) {
      case "h1-tls" -> overTls(server, http, new HttpConnectionFactory(http));
      case "h2" -> overTls(server, http, new HTTP2ServerConnectionFactory(http));
      // It takes each connection for what its first bytes say.
      case "h2c" -> new ServerConnector(
          server, new HttpConnectionFactory(http), new HTTP2CServerConnectionFactory(http));
      default -> new ServerConnector(server, new HttpConnectionFactory(http));
    };
  }

  private static ServerConnector overTls(
      Server server, HttpConfiguration http, ConnectionFactory protocol) throws Exception {
    http.addCustomizer(new SecureRequestCustomizer());
    SslContextFactory.Server tls = new SslContextFactory.Server();
    tls.setKeyStore(keys());
    tls.setKeyStorePassword("");
    // AES-128-GCM alone: Java would take AES-256.
    tls.setIncludeCipherSuites(
        "TLS_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256");
    ALPNServerConnectionFactory alpn = new ALPNServerConnectionFactory();
    alpn.setDefaultProtocol(protocol.getProtocol());
    return new ServerConnector(
        server, new SslConnectionFactory(tls, alpn.getProtocol()), alpn, protocol);
  }

  /** Jetty wants a key store; Java reads both PEM files into one. */
  private static KeyStore keys() throws Exception {
    Certificate[] chain;
    try (InputStream file = Files.newInputStream(Path.of(System.getenv("TLS_CERT")))) {
      chain = CertificateFactory.getInstance("X.509").generateCertificates(file)
          .toArray(Certificate[]::new);
    }
    String pem = Files.readString(Path.of(System.getenv("TLS_KEY")));
    byte[] der = Base64.getMimeDecoder().decode(pem.replaceAll("-----[A-Z ]+-----", ""));
    PrivateKey key = KeyFactory.getInstance("EC").generatePrivate(new PKCS8EncodedKeySpec(der));
    KeyStore keys = KeyStore.getInstance("PKCS12");
    keys.load(null, null);
    keys.setKeyEntry("race", key, new char[0], chain);
    return keys;
  }
}
