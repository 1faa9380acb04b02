# Puma's settings; 5 threads in each process are its own default.

environment "production"
quiet
threads 5, 5
# One process serves without a parent.
processes = ENV.fetch("WORKERS").to_i
workers processes if processes > 1

# The load rotates over contenders: a connection waits for its next turn, or for its first.
persistent_timeout 300
first_data_timeout 300

# A thread goes back to the queue after each answer while others wait in it, as Puma 7's always do. By
# default it serves ten requests of one connection, and waits 0.2 s for each: with more connections
# than threads, the others' answers are late by that (puma/puma, issue 3487).
max_fast_inline 1

bind "tcp://#{ENV.fetch('HOST')}:#{ENV.fetch('PORT')}?backlog=4096"
