# A new PostgreSQL in TMPDIR at HOST and PORT, with ROWS rows of `item`, which the role `bench` may
# read who knows PASSWORD. It needs no other file, and leaves none outside of TMPDIR.
set -eu
export LC_ALL=C
PATH=$PATH:$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)
data=$TMPDIR/data
mkdir -m 700 "$data"
cd "$data"

# PostgreSQL refuses root: it becomes the user that Debian's package has made for it, who may pass
# through folders of root's on the way to its data. The namespace is for the segment of System V shared
# memory that marks the data as taken: it goes with the last process, however that ends.
# Each of its programs ends with whoever started it: a fork forgets that, and another user, too.
if [ "$(id -u)" = 0 ]; then
    chown postgres: "$data"
    as_owner="setpriv --reuid=postgres --regid=postgres --clear-groups --pdeathsig KILL
        --inh-caps=-all,+dac_read_search --ambient-caps=-all,+dac_read_search"
    apart="unshare --ipc"
else
    as_owner="setpriv --pdeathsig KILL"
    apart="unshare --user --map-current-user --ipc"
fi
$apart true 2>/dev/null || apart=

$apart $as_owner initdb --pgdata=. --username=postgres --auth=reject --encoding=UTF8 --locale=C \
    --no-sync --no-instructions >/dev/null

# Over loopback another user's process could connect, too: nobody but `bench` is let in, which may
# read one table and has a password that nobody else knows.
echo "host postgres bench samehost scram-sha-256" | $as_owner tee pg_hba.conf >/dev/null

# Nothing is written while it is measured, and nothing has to survive: no durability, no background
# work that would come at a time of its own. Shared memory is in files of its folder, or nobody's.
# Each process of each contender keeps a pool of connections.
$as_owner tee -a postgresql.conf >/dev/null <<SETTINGS
listen_addresses = '$HOST'
port = $PORT
unix_socket_directories = ''
max_connections = 2000
fsync = off
full_page_writes = off
autovacuum = off
wal_level = minimal
max_wal_senders = 0
shared_memory_type = mmap
dynamic_shared_memory_type = mmap
SETTINGS

# Twenty items are on each shelf; an id is that of its shelf and two digits more.
$apart $as_owner postgres --single -D . -c exit_on_error=on postgres >/dev/null <<SQL
CREATE TABLE item (id integer PRIMARY KEY, shelf integer NOT NULL, name text NOT NULL)
INSERT INTO item SELECT shelf * 100 + place, shelf, 'Item ' || shelf * 100 + place || ' on shelf ' || shelf FROM generate_series(1, $ROWS / 20) AS shelf, generate_series(1, 20) AS place
CREATE INDEX ON item (shelf)
CREATE ROLE bench LOGIN PASSWORD '$PASSWORD'
GRANT SELECT ON item TO bench
VACUUM (FREEZE, ANALYZE) item
SQL

exec $apart $as_owner postgres -D .
