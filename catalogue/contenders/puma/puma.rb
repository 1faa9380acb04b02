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

bind "tcp://#{ENV.fetch('HOST')}:#{ENV.fetch('PORT')}?backlog=4096"
