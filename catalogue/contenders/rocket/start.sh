#!/bin/sh
# Starts Rocket; its argument is the build folder. Here rather than in contender.toml because the
# options for TLS are given only where PROTOCOL has it.
set -eu

if [ "${PROTOCOL:-h1}" = h1-tls ]; then
    # AES-128-GCM alone: rustls would leave the choice to the client.
    suites='"TLS_AES_128_GCM_SHA256", "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256"'
    export ROCKET_TLS="{ certs = \"$TLS_CERT\", key = \"$TLS_KEY\", ciphers = [$suites] }"
fi

exec "$1/server"
