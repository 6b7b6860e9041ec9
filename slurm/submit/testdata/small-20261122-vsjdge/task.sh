#!/bin/bash
# A task of small-20261122-vsjdge. Arguments: the round, and the place in it of this array's first task.
set -e
spmvtune_round=${1:?} spmvtune_base=${2:?} spmvtune_warned=
set --
trap '' USR1
exec '/home/user/runs/small-20261122-vsjdge/bin/spmvtune' task '/home/user/runs/small-20261122-vsjdge' --round "$spmvtune_round" --base "$spmvtune_base" ${spmvtune_warned:+"--warned=$spmvtune_warned"}
