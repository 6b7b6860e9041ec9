#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Start a Slurm cluster of three nodes on this machine, all of it in one folder.
# Needs slurm-wlm and munge; neither root nor systemd nor anything in /etc.
#
#   up.sh [--dir DIR] [--max-array N] [--accounting] [--config LINE] [--owner PID]
#
# Prints the file to source: it points Slurm's commands at the lab. down.sh ends it,
# and so does the end of the process given by --owner. --accounting adds slurmdbd on
# a private mariadb, so that sacct answers; without it there is no accounting.
# --config adds a line to slurm.conf.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/common.sh"

DIR= max_array=101 accounting= config= owner=
while [ $# -gt 0 ]; do
  case $1 in
  --dir) DIR=${2:?}; shift ;;
  --max-array) max_array=${2:?}; shift ;;
  --accounting) accounting=1 ;;
  --config) config+=${2:?}$'\n'; shift ;;
  --owner) owner=${2:?}; shift ;;
  *) usage ;;
  esac
  shift
done
stepd=$(command -v slurmstepd || find /usr/lib* -name slurmstepd -print -quit 2>/dev/null)
[ -n "$stepd" ] && command -v munged slurmctld slurmd >/dev/null ||
  die "Slurm is not installed (Debian: apt-get install slurm-wlm munge)"
[ -z "$accounting" ] || command -v slurmdbd mariadbd >/dev/null ||
  die "accounting is not installed (Debian: apt-get install slurmdbd mariadb-server)"

[ -n "$DIR" ] || DIR=$(mktemp -d -p /tmp --suffix=.slurmlab)
mkdir -p "$DIR"
DIR=$(cd "$DIR" && pwd -P)
[ -z "$(ls -A "$DIR")" ] || die "$DIR is not empty"
[[ $DIR =~ ^[A-Za-z0-9._/-]{1,60}$ ]] || die "$DIR: too long for a socket, or a name that slurm.conf can't hold"
chmod 755 "$DIR"
mkdir "$DIR"/{etc,log,munge,nodes,run,state} "$DIR"/nodes/{n1,n2,n3}

# One lab starts at a time, until its ports are taken. A port that another lab has
# in its slurm.conf is left alone even if nobody listens: its node may be down.
exec 9<"$0"
flock 9
taken=" $({ grep -hosE 'Port=[0-9]+' /tmp/*.slurmlab/etc/*.conf || :; } | cut -d= -f2 | tr '\n' ' ')"
free_port() { # below the ports that the kernel gives out
  while :; do
    port=$((20000 + RANDOM % 10000))
    case $taken in *" $port "*) continue ;; esac
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || break
  done
  taken+="$port "
}
edits=(-e "s|@DIR@|$DIR|g" -e "s|@USER@|$(id -un)|g" -e "s|@HOST@|$(hostname -s)|g" -e "s|@CLUSTER@|lab@CTLD_PORT@|")
edits+=(-e "s|@MAX_ARRAY@|$max_array|")
for name in CTLD N1 N2 N3 DBD SQL; do
  free_port
  edits+=(-e "s|@${name}_PORT@|$port|g")
done
sql_port=$port
[ -n "$accounting" ] && text=$(cat "$here/accounting.in") || text="AccountingStorageType=accounting_storage/none"
edits=(-e "s|@ACCOUNTING@|${text//$'\n'/\\n}|" "${edits[@]}")
sed "${edits[@]}" "$here/slurm.conf.in" >"$DIR/etc/slurm.conf"
printf '%s' "$config" >>"$DIR/etc/slurm.conf"
cat >"$DIR/etc/gres.conf" <<EOF
NodeName=n1 Name=gpu Type=a30 File=/dev/null,/dev/zero
NodeName=n2 Name=gpu Type=h100 File=/dev/full
EOF
: >"$DIR/etc/plugstack.conf"
cat >"$DIR/env.sh" <<EOF
unset \${!SLURM_@} \${!SBATCH_@} \${!SQUEUE_@}
export SLURM_CONF=$DIR/etc/slurm.conf SLURMLAB_DIR=$DIR
EOF

trap '[ $? = 0 ] || { tail -n 15 "$DIR"/log/* >&2; "$here/down.sh" "$DIR"; }' EXIT
export SLURM_CONF=$DIR/etc/slurm.conf
(umask 077; head -c 1024 /dev/urandom >"$DIR/munge/key")
launch munged munged --foreground --key-file="$DIR/munge/key" --socket="$DIR/munge/socket" \
  --pid-file="$DIR/munge/pid" --log-file="$DIR/munge/log" --seed-file="$DIR/munge/seed"
wait_for 10 test -S "$DIR/munge/socket" || die "munged does not start"
[ -z "$accounting" ] || . "$here/accounting.sh"
launch slurmctld slurmctld -D
for node in $NODES; do
  cp "$stepd" "$DIR/nodes/$node/slurmstepd"
  launch_node "$node"
done
idle() { [ "$(sinfo -h -N -p debug -t idle -o %N | wc -l)" = 3 ]; }
wait_for 60 idle || die "the nodes do not come up"
if [ -n "$owner" ]; then
  (while kill -0 "$owner" && [ -d "$DIR" ]; do sleep 1; done
   [ ! -d "$DIR" ] || "$here/down.sh" "$DIR") </dev/null >/dev/null 2>&1 9<&- &
fi
echo "$DIR/env.sh"
