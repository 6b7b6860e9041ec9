package slurmlab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Fake puts shell scripts in the place of Slurm's programs, and returns their folder, which they
// know as $FAKE. Each notes its calls in $FAKE/calls, except for a test of sbatch's, which succeeds.
func Fake(t *testing.T, commands map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, body := range commands {
		test := ""
		if name == "sbatch" {
			test = "case \"$*\" in --test-only*) exit 0 ;; esac\n"
		}
		text := "#!/bin/bash\n" + test + "echo \"" + name + " $*\" >> \"$FAKE/calls\"\n" + body + "\n"
		Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o777))
	}
	t.Setenv("FAKE", dir)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return dir
}

// Calls counts the calls of a fake program.
func Calls(t *testing.T, dir, name string) int {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "calls"))
	Must(t, err)
	return strings.Count("\n"+string(data), "\n"+name+" ")
}

// FakeConfig is the scontrol of a cluster with arrays of two tasks.
const FakeConfig = `case "$*" in
*config*) echo "MaxArraySize = 2" ;;
*partition*) echo "PartitionName=debug Default=YES DefaultTime=NONE MaxTime=01:00:00" ;;
esac`

// FakeSbatch takes in a job with the next id, and FakeSqueue knows it then.
const FakeSbatch = `for a; do case $a in --job-name=*) name=${a#--job-name=} ;; esac; done
echo "$name" >> "$FAKE/queue"; id=$((100 + $(wc -l < "$FAKE/queue")))`

const FakeSqueue = `touch "$FAKE/queue"; id=100
while read -r name; do id=$((id+1)); case " $* " in *" $name "* | *[\ ,]$id[\ ,]*) echo "$id|0|PENDING|0:00|5:00|N/A||$name|None" ;; esac; done < "$FAKE/queue"`

// FakeQueue is a Slurm whose squeue prints the file queue, and whose sacct prints the file accounts.
// Without its file a program fails. sbatch keeps its arguments in the file sent.
var FakeQueue = map[string]string{
	"squeue":   `[ -e "$FAKE/queue" ] || { echo "slurm_load_jobs error: Unable to contact slurm controller (connect failure)" >&2; exit 1; }; cat "$FAKE/queue"`,
	"sacct":    `[ -e "$FAKE/accounts" ] || { echo "Slurm accounting storage is disabled" >&2; exit 1; }; cat "$FAKE/accounts"`,
	"scontrol": FakeConfig,
	"sbatch":   `echo "sbatch $*" >> "$FAKE/sent"; echo $((200 + $(wc -l < "$FAKE/sent")))`,
}

func Must(tb testing.TB, err error) {
	tb.Helper()
	if err != nil {
		tb.Fatal(err)
	}
}
