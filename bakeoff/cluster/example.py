"""How to make a cluster: by hand, and by `ray up`."""

from bakeoff import __version__

BY_HAND = f"""\
# On each machine, with the same Python and the same versions (bakeoff cluster doctor compares):
pip install 'bakeoff[cluster]=={__version__}'

# On the server machine, which is the head too; its address on the private network is 10.0.0.1 here:
RAY_worker_niceness=0 ray start --head --port=6379 --node-ip-address=10.0.0.1 \\
    --num-cpus=0 --include-dashboard=false --disable-usage-stats --resources='{{"server": 1}}'

# On the load machine:
RAY_worker_niceness=0 ray start --address=10.0.0.1:6379 \\
    --num-cpus=0 --disable-usage-stats --resources='{{"load": 1}}'

# On either of them, or on a third that has joined without a resource:
bakeoff cluster doctor 10.0.0.1
bakeoff race nginx ./mine --cluster 10.0.0.1

# In the end, on each:
ray stop
"""

RAY_UP = f"""\
# ray up cluster.yaml; ray attach cluster.yaml
# and there: bakeoff race nginx ./mine --cluster auto
cluster_name: bakeoff
provider:
  type: aws
  region: eu-central-1
  use_internal_ips: true
auth:
  ssh_user: admin
max_workers: 2
# One placement group, so that a round trip is short; dedicated cores, so that nobody steals them.
available_node_types:
  head:
    node_config: {{InstanceType: m7i.large, Placement: {{GroupName: bakeoff}}}}
    resources: {{CPU: 0}}
  server:
    node_config: {{InstanceType: c7i.2xlarge, Placement: {{GroupName: bakeoff}}}}
    resources: {{CPU: 0, server: 1}}
    min_workers: 1
    max_workers: 1
  load:
    node_config: {{InstanceType: c7i.4xlarge, Placement: {{GroupName: bakeoff}}}}
    resources: {{CPU: 0, load: 1}}
    min_workers: 1
    max_workers: 1
head_node_type: head
setup_commands:
  - python3 -m pip install 'bakeoff[cluster]=={__version__}'
head_start_ray_commands:
  - ray stop
  - ulimit -n 65536; RAY_worker_niceness=0 ray start --head --port=6379
    --include-dashboard=false --disable-usage-stats --autoscaling-config=~/ray_bootstrap_config.yaml
worker_start_ray_commands:
  - ray stop
  - ulimit -n 65536; RAY_worker_niceness=0 ray start --address=$RAY_HEAD_IP:6379
    --disable-usage-stats
"""
