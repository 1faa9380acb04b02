# Puma's settings: 5 threads in each process are its own default for MRI. WEB_CONCURRENCY has the number of processes.

environment "production"
quiet
threads 5, 5
workers ENV.fetch("WORKERS").to_i > 1 ? ENV.fetch("WORKERS").to_i : 0
preload_app! if ENV.fetch("WORKERS").to_i > 1

# The load rotates over contenders: a connection waits for its next turn, or for its first.
persistent_timeout 300
first_data_timeout 300

address = "#{ENV.fetch('HOST')}:#{ENV.fetch('PORT')}"
if ENV["PROTOCOL"] == "h1-tls"
  # openssl.cnf has the one cipher of TLS 1.3, this is that of TLS 1.2.
  key, cert = ENV.fetch("TLS_KEY"), ENV.fetch("TLS_CERT")
  host, port = ENV.fetch("HOST"), ENV.fetch("PORT")
  ssl_bind host, port, key: key, cert: cert, ssl_cipher_filter: "ECDHE-ECDSA-AES128-GCM-SHA256",
                       no_tlsv1: true, no_tlsv1_1: true, backlog: 4096
else
  bind "tcp://#{address}?backlog=4096"
end
