#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# Write what the commands of this machine's Slurm print into the folder of its
# version, from a lab with accounting. Takes a minute. What tells one machine or
# one lab from another is replaced.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
lab=$here/../../../../internal/testing/slurmlab/testdata
. "$("$lab/up.sh" --accounting --max-array 1001 --owner $$)"
trap '"$lab/down.sh" "$SLURMLAB_DIR"' EXIT
version=$(sbatch --version | sed -E 's/.* ([0-9]+\.[0-9]+).*/\1/')
out=$here/$version
mkdir -p "$out"
cd "$SLURMLAB_DIR"
cluster=$(sed -n 's/^ClusterName=//p' etc/slurm.conf)

cat >task.sh <<'EOF'
#!/bin/bash
case $1 in
end) case $SLURM_ARRAY_TASK_ID in 1) exit 3 ;; 2) kill -KILL $$ ;; esac ;;
stay) sleep 300 ;;
esac
EOF
submit() { sbatch --parsable -o /dev/null "$@"; }
state() { squeue -h -r -t all -j "$1" -o %T | sort -u | tr '\n' ' '; }
await() { # JOB STATE
  for _ in $(seq 900); do [ "$(state "$1")" != "$2 " ] || return 0; sleep 0.1; done
  echo "job $1 is $(state "$1"), not $2" >&2
  exit 1
}
clean() { sed -e "s/$cluster/cluster/g" -e "s/$(hostname -s)/login1/g" -e "s/(root)/(user)/g"; }
transcript() { # COMMAND…: it, what it says, how it ends
  local status=0
  echo "\$ $*"
  "$@" 2>&1 || status=$?
  echo "= $status"
}

preempted=$(submit -J preempted -p low -w n2 --exclusive --no-requeue task.sh stay)
await "$preempted" RUNNING
winner=$(submit -J winner -p high -w n2 --exclusive --time=1-02:00:00 task.sh stay)
await "$preempted" PREEMPTED
await "$winner" RUNNING
ended=$(submit -J 'two words' --array=0-2 -w n1 task.sh end)
after=$(submit -J after -d "afterok:$ended" -w n1 task.sh end)
throttled=$(submit -J throttled --array=4-9%2 -w n3 task.sh stay)
stepped=$(submit -J stepped --array=0-20:5,30 --hold task.sh end)
above=$(submit -J above --time=11 task.sh end)
finish=$(submit -J finish -d "afterany:$throttled" task.sh end)
late=$(submit -J late --deadline=now+65 --time=1 -p low -w n2 --exclusive task.sh stay)
over=$(submit -J over --time=5 -w n1 task.sh stay)
cancelled=$(submit -J cancelled -w n1 task.sh stay)
requeued=$(submit -J requeued -w n1 task.sh stay)
suspended=$(submit -J suspended -w n3 task.sh stay)
await "$over" RUNNING
await "$cancelled" RUNNING
await "$requeued" RUNNING
await "$suspended" RUNNING
scontrol suspend "$suspended"
rehold=$(submit -J requeue-hold -w n3 task.sh stay)
await "$rehold" RUNNING
scontrol requeuehold "$rehold"
special=$(submit -J special-exit -w n3 task.sh stay)
await "$special" RUNNING
scontrol requeuehold State=SpecialExit "$special"
scontrol update "JobId=$over" EndTime=now
scancel "$cancelled" "${throttled}_8"
scontrol requeue "$requeued"
await "$over" TIMEOUT
await "$late" DEADLINE
await "$requeued" RUNNING
scontrol update NodeName=n2 State=DOWN Reason=lost
lost=$(submit -J lost -w n1 --no-requeue task.sh stay)
await "$lost" RUNNING
scontrol update NodeName=n1 State=DOWN Reason=lost
await "$lost" NODE_FAIL
sleep 3 # until slurmdbd has it

squeue -h -t all -r -o '%F|%K|%T|%M|%l|%S|%N|%j|%r' | sort -t'|' -k1n -k2n | clean >"$out/squeue.txt"
squeue -h -t all -o '%i|%T|%r' | sort -n | clean >"$out/squeue-folded.txt"
columns=JobID,State,ExitCode,ElapsedRaw,TimelimitRaw,Start,NodeList,JobName
sacct -P -n -X -S now-1hour -o "$columns" | clean >"$out/sacct.txt"
sacct -P -n -D -S now-1hour -o "$columns" | clean >"$out/sacct-steps.txt"
scontrol show config | grep -E '^(Configuration|ClusterName|MaxArraySize|MaxJobCount|MinJobAge|SLURM_VERSION|TaskPlugin) ' |
  clean >"$out/config.txt"
scontrol -a -o show partition >"$out/partitions.txt"
sinfo -h -o '%P|%l|%D|%t|%G' >"$out/sinfo.txt"
submit --hold task.sh end >"$out/sbatch.txt"
submit --hold -M "$cluster" task.sh end | clean >"$out/sbatch-cluster.txt"
squeue -M "$cluster" -h -t all -j "$ended" -o '%F|%K|%T|%M|%l|%S|%N|%j|%r' | clean >"$out/squeue-cluster.txt"
{
  transcript squeue -h -j 999999 -o %T
  transcript squeue -h -t all -r -j "999999,$ended" -o '%i %T'
  transcript sacct -n -P -X -j 999999 -o State
  transcript squeue -M "$cluster" -t all -j "$ended" -o '%i %T'
  transcript sbatch --array=0-1001 task.sh
  transcript sbatch -p nowhere task.sh
  transcript sbatch --gres=gpu:none:1 task.sh
  transcript sbatch --time=soon task.sh
  transcript sbatch --test-only -w n3 task.sh
  transcript sbatch --test-only -w n3 --time=99 task.sh
  transcript sbatch --test-only --gres=gpu:none:1 task.sh
  transcript scontrol update "JobId=$throttled" ArrayTaskThrottle=1
  scancel "${throttled}_4"
  await "${throttled}_4" CANCELLED
  transcript scontrol update "JobId=$throttled" ArrayTaskThrottle=1
  transcript scontrol requeue 999999
  transcript scancel 999999
  kill -STOP "$(<run/slurmctld)"
  transcript sbatch --parsable task.sh
  transcript squeue -h -o %T
  kill -KILL "$(<run/slurmctld)"
  transcript squeue -h -o %T
  kill -KILL "$(<run/slurmdbd)"
  transcript sacct -n -P -X -o State
  sed -i '/^AccountingStorage/d' etc/slurm.conf
  transcript sacct -n -P -X -o State
} | sed -E -e "s/at 20[0-9T:-]+/at 2026-01-01T00:00:00/" -e "s/:2[0-9]{4}:/:6819:/" | clean >"$out/transcript.txt"
