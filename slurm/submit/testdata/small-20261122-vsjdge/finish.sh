#!/bin/bash
# Merges what the tasks of small-20261122-vsjdge measured. Argument: the round.
set -eu
exec '/home/user/runs/small-20261122-vsjdge/bin/spmvtune' merge '/home/user/runs/small-20261122-vsjdge' --round "$1"
