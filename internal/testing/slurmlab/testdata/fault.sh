#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What goes wrong in a cluster:
#
#   fault.sh DIR freeze             the controller answers nobody
#   fault.sh DIR thaw               it goes on, with all that was sent to it meanwhile
#   fault.sh DIR stop-controller    the controller ends in good order
#   fault.sh DIR kill-controller    it dies, and what it had not saved yet is lost
#   fault.sh DIR start-controller   it starts again
#   fault.sh DIR kill NODE          a node loses power: slurmd and all that runs there die at once
#   fault.sh DIR kill-slurmd NODE   only slurmd dies; its jobs run on, unseen
#   fault.sh DIR start NODE         slurmd starts again
set -uo pipefail
. "$(dirname "$0")/common.sh"
DIR=$(lab "${1:-}") || exit 1

node=${3:-}
case ${2:-} in
kill | kill-slurmd | start) [ -n "$node" ] && [ -d "$DIR/nodes/$node" ] || die "no node '$node': there are $NODES" ;;
esac
case ${2:-} in
freeze) kill -STOP "$(<"$DIR/run/slurmctld")" ;;
thaw) kill -CONT "$(<"$DIR/run/slurmctld")" ;;
stop-controller)
  kill -TERM "$(<"$DIR/run/slurmctld")"
  wait_for 60 gone "$(<"$DIR/run/slurmctld")" || die "the controller does not end" ;;
kill-controller) kill_all "$(<"$DIR/run/slurmctld")" ;;
start-controller) launch slurmctld slurmctld -D ;;
kill) kill_all $(members_of "$node") ;;
kill-slurmd) kill -KILL "$(<"$DIR/run/slurmd.$node")" ;;
start) launch_node "$node" ;;
*) usage ;;
esac
