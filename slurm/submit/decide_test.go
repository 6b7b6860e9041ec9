package submit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// ended is a run whose only array has ended, as squeue says, and the arguments of sbatch for it.
func ended(t *testing.T, chunks int, args []string, queue ...string) (dir string, run *slurm.Run) {
	t.Helper()
	dir = slurmlab.Fake(t, slurmlab.FakeQueue)
	run = slurmtest.Created(t, t.TempDir(), configs.Slurm{}, chunks, "exit 0")
	slurmlab.Must(t, run.WriteRound(1, slurmtest.ChunkIDs(chunks)))
	array := slurm.Sent{Batch: slurm.Batch{Name: run.JobName() + ".1.0", Round: 1, Tasks: chunks}, Outcome: slurm.Intended}
	slurmlab.Must(t, run.Note(array, args))
	array.Outcome, array.JobID = slurm.Submitted, sbatch.JobID{ID: "12"}
	slurmlab.Must(t, run.Note(array, nil))
	slurmtest.Says(t, dir, "queue", run, queue...)
	return dir, run
}

// lastSent are the arguments of the last array that was sent.
func lastSent(t *testing.T, dir string) (args string) {
	t.Helper()
	sent, err := os.ReadFile(filepath.Join(dir, "sent"))
	slurmlab.Must(t, err)
	for line := range strings.Lines(string(sent)) {
		if strings.Contains(line, "--array=") {
			args = line
		}
	}
	return args
}

// What ran out of memory or time gets the next step of the sweep, and is only left when there is none.
func TestRetryTakesTheNextStep(t *testing.T) {
	const oom = "12|%d|OUT_OF_MEMORY|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|None"
	const late = "12|%d|TIMEOUT|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|TimeLimit"
	const failed = "12|%d|FAILED|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|NonZeroExitCode"
	steps := configs.Slurm{
		Mem: "4G", Mems: []string{"4G", "8000M", "16G"}, Time: "1:00:00", Times: []string{"1:00:00", "2:00:00"},
	}
	for name, tt := range map[string]struct {
		args, says  string
		slurm       configs.Slurm
		set         map[string]string
		mem, time   string
		left, split int
	}{
		"first step":           {"--mem=4G --time=1:00:00", oom, steps, nil, "8000M", "1:00:00", 0, 0},
		"second step":          {"--mem=8000M --time=1:00:00", oom, steps, nil, "16G", "1:00:00", 0, 0},
		"last step":            {"--mem=16G", oom, steps, nil, "", "", 1, 0},
		"no steps":             {"--mem=4G", oom, configs.Slurm{Mem: "4G"}, nil, "", "", 1, 0},
		"more in the sweep":    {"--mem=4G", oom, configs.Slurm{Mem: "6G"}, nil, "6G", "", 0, 0},
		"more by hand":         {"--mem=16G", oom, steps, map[string]string{"mem": "32G"}, "32G", "1:00:00", 0, 0},
		"another reason":       {"--mem=8000M --time=2:00:00", failed, steps, nil, "8000M", "2:00:00", 0, 0},
		"time":                 {"--mem=4G --time=1:00:00", late, steps, nil, "4G", "2:00:00", 0, 0},
		"time, and no step":    {"--mem=4G --time=2:00:00", late, steps, nil, "4G", "2:00:00", 0, 1},
		"time, set by hand":    {"--time=1:00:00", late, configs.Slurm{}, map[string]string{"time": "59"}, "", "59", 0, 1},
		"more time, of a hand": {"--time=0:30:00", late, configs.Slurm{}, map[string]string{"time": "59"}, "", "59", 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir, run := ended(t, 1, strings.Fields(tt.args), fmt.Sprintf(tt.says, 0))
			plan, err := run.Plan()
			slurmlab.Must(t, err)
			plan.Chunks[0].Trials = 4
			slurmtest.SetPlan(t, run, plan)
			tt.slurm.QOS = "any" // may allow more time than the partition
			r, err := Retry(t.Context(), slurmtest.Hasty, run, tt.slurm, Options{Set: tt.set})
			slurmlab.Must(t, err)
			if len(r.OutOfMemory) != tt.left || len(r.Split) != tt.split {
				t.Fatalf("retried %+v", r)
			}
			if tt.left > 0 {
				return
			}
			args := lastSent(t, dir)
			for option, want := range map[string]string{"--mem": tt.mem, "--time": tt.time} {
				if got := valueOf(strings.Fields(args), option[2:]); got != want {
					t.Errorf("%s is %q, not %q", option, got, want)
				}
			}
		})
	}
}

// What one retry was told holds for the next, until it is taken back.
func TestRetryRemembers(t *testing.T) {
	const lost = "12|%d|NODE_FAIL|5:00|5:00|2026-01-02T03:04:05|n%d|NAME.1.0|NodeFail"
	dir, run := ended(t, 2, nil, fmt.Sprintf(lost, 0, 1), fmt.Sprintf(lost, 1, 2))
	s := configs.Slurm{Partition: "debug", Exclude: "n9", Extra: []string{"--mem-per-cpu=1G"}}
	for i, tt := range []struct {
		opt                      Options
		partition, mem, excluded string
	}{
		{Options{Set: map[string]string{"mem": "8G"}, Exclude: []string{"n1", "n[3-4]"}}, "debug", "8G", "n9,n1,n[3-4]"},
		{Options{}, "debug", "8G", "n9,n1,n[3-4]"},
		{Options{Set: map[string]string{"mem": "", "exclude": ""}, Exclude: []string{"n2"}}, "debug", "", "n9,n2"},
	} {
		_, err := Retry(t.Context(), slurmtest.Hasty, run, s, tt.opt)
		slurmlab.Must(t, err)
		args := strings.Fields(lastSent(t, dir))
		if valueOf(args, "partition") != tt.partition || valueOf(args, "mem") != tt.mem || valueOf(args, "exclude") != tt.excluded ||
			(valueOf(args, "mem-per-cpu") == "") != (tt.mem != "") {
			t.Errorf("retry %d sends %q", i, args)
		}
		slurmtest.Says(t, dir, "queue", run)
	}
}

// What Slurm refuses is not remembered.
func TestRetryForgetsWhatIsRefused(t *testing.T) {
	dir, run := ended(t, 1, nil, "12|0|NODE_FAIL|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|NodeFail")
	const typo = `case "$*" in *partition=typo*) echo "sbatch: error: invalid partition specified: typo" >&2; exit 1 ;; esac; `
	slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "sbatch"), []byte("#!/bin/bash\n"+typo+slurmlab.FakeQueue["sbatch"]+"\n"), 0o777))
	s := configs.Slurm{Partition: "debug"}
	opt := Options{Set: map[string]string{"partition": "typo"}}
	if r, err := Retry(t.Context(), slurmtest.Hasty, run, s, opt); err == nil || r.Round != nil {
		t.Fatalf("retried %+v, %v", r, err)
	}
	_, err := Retry(t.Context(), slurmtest.Hasty, run, s, Options{})
	slurmlab.Must(t, err)
	if got := valueOf(strings.Fields(lastSent(t, dir)), "partition"); got != "debug" {
		t.Errorf("the next retry sends to %s", got)
	}
}

// A node is avoided if tasks failed alike there and nowhere else.
func TestRetryAvoidsABadNode(t *testing.T) {
	const says = "12|%d|%s|5:00|5:00|2026-01-02T03:04:05|%s|NAME.1.0|%s"
	for name, tt := range map[string]struct {
		tasks   []string // state, node and reason of each
		avoided string
	}{
		"twice on one":         {[]string{"FAILED n1 NonZeroExitCode", "FAILED n1 NonZeroExitCode", "FAILED n2 RaisedSignal:9"}, "n1"},
		"once":                 {[]string{"FAILED n1 NonZeroExitCode", "CANCELLED n1 None", "CANCELLED n1 None"}, ""},
		"everywhere":           {[]string{"FAILED n1 NonZeroExitCode", "FAILED n1 NonZeroExitCode", "FAILED n2 NonZeroExitCode"}, ""},
		"lost":                 {[]string{"NODE_FAIL n1 NodeFail", "NODE_FAIL n1 NodeFail", "TIMEOUT n2 TimeLimit"}, "n1"},
		"no fault of a node's": {[]string{"TIMEOUT n1 TimeLimit", "TIMEOUT n1 TimeLimit", "TIMEOUT n1 TimeLimit"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			var queue []string
			for i, task := range tt.tasks {
				f := strings.Fields(task)
				queue = append(queue, fmt.Sprintf(says, i, f[0], f[1], f[2]))
			}
			dir, run := ended(t, 3, nil, queue...)
			r, err := Retry(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, Options{})
			slurmlab.Must(t, err)
			if got := valueOf(strings.Fields(lastSent(t, dir)), "exclude"); got != tt.avoided || (got != "") != (len(r.Avoided) == 1) {
				t.Errorf("avoided is %q: %+v", got, r)
			}
		})
	}
}

// A task whose log says that it was killed for its memory is sent again with more, whatever its state.
func TestRetryOfKillForMemory(t *testing.T) {
	const killed = "12|0|FAILED|0:05|5:00|2026-01-02T03:04:05|n1|NAME.1.0|JobLaunchFailure"
	dir, run := ended(t, 1, nil, killed)
	const log = "slurmstepd-n1: error: StepId=95.batch exceeded memory limit (505368576 > 104857600), being killed\n"
	slurmlab.Must(t, os.WriteFile(run.Path(slurm.LogsDir, "12_0.log"), []byte(log), 0o666))
	r, err := Retry(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, Options{})
	if err != nil || len(r.OutOfMemory) != 1 || r.Round != nil || r.OutOfMemory[0].Why != "used more memory than allowed" {
		t.Fatalf("retried %+v, %v", r, err)
	}
	r, err = Retry(t.Context(), slurmtest.Hasty, run, configs.Slurm{Mem: "1G"}, Options{})
	if err != nil || len(r.Again) != 1 || !strings.Contains(lastSent(t, dir), "--mem=1G") {
		t.Errorf("with more in the sweep: %+v, %v", r, err)
	}
}
