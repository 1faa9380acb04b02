#!/bin/sh
# Starts PHP-FPM, and nginx before it, with everything that they write in one scratch folder, so that
# any number of copies run side by side, as root or as an ordinary user. Both end with this shell.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/php-fpm.XXXXXX")

without='/ssl_/d'
with="s|@CERT@|${TLS_CERT:-}|; s|@KEY@|${TLS_KEY:-}|"
case "${PROTOCOL:-h1}" in
    h1)     protocol=            tls=$without ;;
    h2c)    protocol=http2       tls=$without ;;
    h1-tls) protocol=ssl         tls=$with ;;
    h2)     protocol='ssl http2' tls=$with ;;
esac

# Started as root, its workers would be nobody, who need not be allowed to read STATIC_DIR.
user=
if [ "$(id -u)" = 0 ]; then user="user $(id -un);"; fi
sed -e "s/@HOST@/${HOST:-127.0.0.1}/" -e "s/@PORT@/$PORT/" -e "s/@WORKERS@/${WORKERS:-1}/" \
    -e "s/@PROTOCOL@/$protocol/" -e "$tls" -e "s/@USER@/$user/" \
    -e "s|@STATIC_DIR@|${STATIC_DIR:-$scratch/static}|" -e "s|@HERE@|$here|" \
    "$here/nginx.conf" > "$scratch/nginx.conf"

# Each child works on one request at a time: four for each worker, as gunicorn has threads.
sed -e "s|@CHILDREN@|$((4 * ${WORKERS:-1}))|" "$here/php-fpm.conf" > "$scratch/php-fpm.conf"

# The socket's path is relative: a long one doesn't fit into an address.
cd "$scratch"
PATH=$PATH:/usr/sbin
allow=
if [ "$(id -u)" = 0 ]; then allow=--allow-to-run-as-root; fi
php-fpm8.2 --nodaemonize --prefix . $allow --fpm-config "$scratch/php-fpm.conf" &
php=$!
# -e: without it nginx opens its compiled-in log file before it reads the configuration.
nginx -e stderr -p "$scratch/" -c "$scratch/nginx.conf" &
nginx=$!
trap 'trap "" TERM; kill "$nginx" "$php"; wait; trap - TERM; kill $$' TERM
wait "$nginx"
