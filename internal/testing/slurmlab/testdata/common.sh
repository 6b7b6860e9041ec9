# SPDX-License-Identifier: Apache-2.0
# Sourced by the other scripts here. $DIR is the lab's folder.

PATH=$PATH:/usr/sbin
NODES="n1 n2 n3"

# A contributor's own Slurm stays out of the lab.
unset "${!SLURM_@}" "${!SBATCH_@}" "${!SQUEUE_@}"

die() { echo "${0##*/}: $*" >&2; exit 1; }

# usage: what the head of the script says.
usage() { sed -n '2,/^set /{/^set /d; s/^# \{0,1\}//; p}' "$0" >&2; exit 2; }

# lab DIR: its absolute path.
lab() {
  [ -n "$1" ] || usage
  [ -f "$1/etc/slurm.conf" ] || die "$1 is no lab"
  (cd "$1" && pwd -P)
}

# launch NAME COMMAND…: start a daemon; its process id goes into run/NAME.
launch() {
  local name=$1; shift
  SLURMLAB_DAEMON=$DIR SLURM_CONF=$DIR/etc/slurm.conf \
    setsid "$@" </dev/null >>"$DIR/log/$name.out" 2>&1 9<&- &
  echo $! >"$DIR/run/$name"
}

# The step daemon wipes its arguments and its environment. Each node has a copy of
# it, so that the path of the program still says whose it is.
launch_node() {
  SLURMD_NODENAME=$1 launch "slurmd.$1" slurmd -D -N "$1" -d "$DIR/nodes/$1/slurmstepd"
}

# members: the process ids of the lab: daemons are marked by launch, jobs by Slurm
# with the name of the cluster, which no other lab has.
members() {
  local cluster
  cluster=$(sed -n 's/^ClusterName=//p' "$DIR/etc/slurm.conf")
  {
    grep -lzxF -e "SLURMLAB_DAEMON=$DIR" -e "SLURM_CLUSTER_NAME=$cluster" /proc/[0-9]*/environ
    find /proc -maxdepth 2 -path '/proc/[0-9]*/exe' -lname "$DIR/*"
  } 2>/dev/null | cut -d/ -f3 | sort -un
}

# members_of NODE: those that a node would take with it.
members_of() {
  local pid
  for pid in $(members); do
    case $(readlink "/proc/$pid/exe") in "$DIR/nodes/$1"/*) echo "$pid"; continue ;; esac
    grep -qzxF "SLURMD_NODENAME=$1" "/proc/$pid/environ" && echo "$pid"
  done 2>/dev/null
}

# kill_all PID…: all are stopped before the first is killed, so that none lives to
# report the death of another. On a busy machine the killed take a moment to be gone.
kill_all() {
  [ $# -gt 0 ] || return 0
  kill -STOP "$@" 2>/dev/null
  kill -KILL "$@" 2>/dev/null
  wait_for 10 gone "$@"
  return 0
}

# gone PID…: none of them runs; a zombie has no program any more.
gone() {
  local pid
  for pid in "$@"; do
    ! readlink "/proc/$pid/exe" || return 1
  done
}

# wait_for SECONDS COMMAND…: until the command succeeds.
wait_for() {
  local tries=$(($1 * 20)); shift
  while ! "$@" >/dev/null 2>&1; do
    [ $((tries -= 1)) -gt 0 ] || return 1
    sleep 0.05
  done
}
