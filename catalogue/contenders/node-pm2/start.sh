#!/bin/sh
# Starts PM2 in the foreground with everything that it writes in one scratch folder,
# so that any number of copies run side by side. Its argument is the build folder.
set -eu

out=$(cd "$1" && pwd)
scratch=$(mktemp -d "${TMPDIR:-/tmp}/pm2.XXXXXX")
cd "$scratch"

export PM2_HOME="$scratch"
# Named relative to the working directory: a Unix socket's path ends after 107 bytes.
export PM2_DAEMON_RPC_PORT=rpc.sock PM2_DAEMON_PUB_PORT=pub.sock
export PM2_DISABLE_VERSION_CHECK=1

# The script and its folder apart: PM2 takes a script whose path has a space for a shell command.
# No autorestart: a server that dies in the middle of a load should be seen, and one that is asked
# to end should not be started again.
cat > server.json <<END
{"apps": [{"name": "server", "script": "server.js", "cwd": "$out",
           "exec_mode": "cluster", "instances": ${WORKERS:-1}, "autorestart": false}]}
END
exec node "$out/node_modules/pm2/bin/pm2-runtime" start server.json
