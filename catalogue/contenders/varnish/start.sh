#!/bin/sh
# Starts Varnish in the foreground with everything that it writes in one scratch folder, so that any
# number of copies run side by side, as root or as an ordinary user.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/varnish.XXXXXX")
# Without an upstream, /forward is answered with 503.
upstream=${UPSTREAM:-http://127.0.0.1:9}
upstream=${upstream#http://}
sed -e "s/@ADDRESS@/${upstream%:*}/" -e "s/@UPPORT@/${upstream#*:}/" \
    "$here/answers.vcl" > "$scratch/answers.vcl"

feature=
if [ "${PROTOCOL:-h1}" = h2c ]; then feature=+http2; fi

# -j none: it stays the user who started it. The load rotates over contenders: a connection waits for
# its next turn, or for its first. thread_pool_max: a connection that is written to holds a thread.
PATH=$PATH:/usr/sbin
exec varnishd -F -j none -n "$scratch" -f "$scratch/answers.vcl" -a "$HOST:$PORT,HTTP" -s malloc,64m \
    -p listen_depth=4096 -p timeout_idle=300 -p thread_pools="$WORKERS" ${feature:+-p feature="$feature"}
