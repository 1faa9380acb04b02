//! Passes answers on with pingora, as its quick start writes a proxy.

use std::env;

use async_trait::async_trait;
use pingora::apps::HttpServerOptions;
use pingora::listeners::tls::TlsSettings;
use pingora::prelude::*;
use pingora::protocols::ALPN;
use pingora::proxy::http_proxy_service;
use pingora::server::configuration::ServerConf;

/// With the upstream's address and port, where there is one.
struct Proxy(Option<String>);

/// The path at the upstream, with the query that came.
fn asked(path: &str, query: Option<&str>) -> Option<String> {
    match path {
        "/forward" => Some("/".to_owned()),
        "/stream" => Some(format!("/events?{}", query.unwrap_or_default())),
        _ => None,
    }
}

#[async_trait]
impl ProxyHttp for Proxy {
    /// The path at the upstream.
    type CTX = String;

    fn new_ctx(&self) -> String {
        String::new()
    }

    async fn request_filter(&self, session: &mut Session, path: &mut String) -> Result<bool> {
        let uri = &session.req_header().uri;
        match asked(uri.path(), uri.query()) {
            Some(there) if self.0.is_some() => {
                *path = there;
                Ok(false)
            }
            _ => {
                session.respond_error(404).await?;
                Ok(true)
            }
        }
    }

    async fn upstream_peer(&self, _: &mut Session, _: &mut String) -> Result<Box<HttpPeer>> {
        let address = self.0.as_deref().unwrap_or_default();
        Ok(Box::new(HttpPeer::new(address, false, String::new())))
    }

    async fn upstream_request_filter(
        &self,
        _: &mut Session,
        request: &mut RequestHeader,
        path: &mut String,
    ) -> Result<()> {
        request.set_raw_path(path.as_bytes())
    }
}

/// TLS 1.2 and 1.3 with AES-128-GCM alone, which agrees to this protocol and no other.
fn tls(alpn: ALPN) -> TlsSettings {
    let file = |name| env::var(name).expect("a file");
    let mut settings = TlsSettings::intermediate(&file("TLS_CERT"), &file("TLS_KEY"))
        .expect("a certificate and its key");
    settings.set_alpn(alpn);
    settings
        .set_cipher_list("ECDHE-ECDSA-AES128-GCM-SHA256")
        .and_then(|()| settings.set_ciphersuites("TLS_AES_128_GCM_SHA256"))
        .expect("OpenSSL has these ciphers");
    settings
}

/// What was really linked: the build takes every crate as Cargo.lock says, and so does this.
fn version_of(name: &str) -> &'static str {
    let entry = format!("name = \"{name}\"\nversion = \"");
    let (_, rest) = include_str!("../Cargo.lock").split_once(&entry).unwrap();
    rest.split('"').next().unwrap()
}

fn main() {
    if env::args().any(|arg| arg == "--version") {
        let [pingora, tokio, openssl] = ["pingora", "tokio", "openssl"].map(version_of);
        println!("pingora {pingora}, tokio {tokio}, openssl {openssl}");
        return;
    }

    let variable = |name, default: &str| env::var(name).unwrap_or_else(|_| default.to_owned());
    let configuration = ServerConf {
        threads: variable("WORKERS", "1").parse().expect("a number"),
        // As many connections to the upstream as there are requests under way: the default keeps 128.
        upstream_keepalive_pool_size: 8192,
        // SIGTERM ends it at once; by default it would wait for five minutes.
        grace_period_seconds: Some(0),
        graceful_shutdown_timeout_seconds: Some(0),
        ..ServerConf::default()
    };
    let mut server = Server::new_with_opt_and_conf(None, configuration);
    server.bootstrap();

    let upstream = env::var("UPSTREAM").ok();
    let upstream = upstream.map(|url| url.trim_start_matches("http://").to_owned());
    let mut proxy = http_proxy_service(&server.configuration, Proxy(upstream));
    let address = format!(
        "{}:{}",
        variable("HOST", "127.0.0.1"),
        variable("PORT", "20080")
    );
    match variable("PROTOCOL", "h1").as_str() {
        "h1-tls" => proxy.add_tls_with_settings(&address, None, tls(ALPN::H1)),
        "h2" => proxy.add_tls_with_settings(&address, None, tls(ALPN::H2)),
        protocol => {
            let mut options = HttpServerOptions::default();
            options.h2c = protocol == "h2c";
            proxy.app_logic_mut().expect("a proxy").server_options = Some(options);
            proxy.add_tcp(&address);
        }
    }
    server.add_service(proxy);
    server.run_forever();
}
