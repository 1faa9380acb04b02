#!/bin/sh
# Starts uvicorn; its argument is the build folder. Here rather than in contender.toml because the
# options for TLS are given only where PROTOCOL has it.
set -eu

out=$1
case "${PROTOCOL:-h1}" in
    h1)     set -- ;;
    h1-tls)
        # openssl.cnf has the one cipher of TLS 1.3, this is that of TLS 1.2.
        set -- --ssl-certfile "$TLS_CERT" --ssl-keyfile "$TLS_KEY" \
            --ssl-ciphers ECDHE-ECDSA-AES128-GCM-SHA256
        ;;
esac

# Idle connections are closed at once on SIGTERM; the limit is for those that don't end.
exec "$out/venv/bin/uvicorn" --host "$HOST" --port "$PORT" --workers "${WORKERS:-1}" \
    --backlog 4096 --timeout-keep-alive 300 --timeout-graceful-shutdown 1 \
    --ws-ping-interval 300 --ws-ping-timeout 300 \
    --no-access-log --log-level warning "$@" app:app
