#!/bin/sh
# Starts Mojolicious' pre-forking server in the foreground. The options:
#   -a, -r       connections per accepting and requests per connection: unlimited as far as it goes
#   -i, -k       an idle connection waits for its next turn, as the load rotates over contenders
set -eu

here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/mojolicious.XXXXXX")
listen="http://$HOST:$PORT"
if [ "${PROTOCOL:-h1}" = h1-tls ]; then
    # openssl.cnf has the one cipher of TLS 1.3, this is that of TLS 1.2.
    listen="https://$HOST:$PORT?cert=$TLS_CERT&key=$TLS_KEY&ciphers=ECDHE-ECDSA-AES128-GCM-SHA256"
fi

exec perl "$here/app.pl" prefork --mode production --pid-file "$scratch/pid" --workers "$WORKERS" \
    --backlog 4096 --clients 8192 --accepts 0 --requests 1000000000 \
    --inactivity-timeout 300 --keep-alive-timeout 300 --listen "$listen"
