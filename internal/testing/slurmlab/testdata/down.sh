#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# End a lab, whatever state it is in, and remove its folder:
#
#   down.sh DIR
#
# Slurm is not asked: its controller may be frozen, a node dead.
set -uo pipefail
. "$(dirname "$0")/common.sh"
DIR=$(lab "${1:-}") || exit 1

# Again until nothing is found: a daemon may have started something meanwhile.
for _ in $(seq 100); do
  pids=$(members)
  [ -n "$pids" ] || { rm -rf "$DIR"; exit; }
  kill_all $pids
  sleep 0.05
done
die "still running:" $pids
