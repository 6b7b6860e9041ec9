// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/slurmlab"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/tuner/trial"
)

// ended is a run whose only array has ended, as squeue says, and the arguments of sbatch for it.
func ended(t *testing.T, chunks int, args []string, queue ...string) (dir string, run *slurm.Run) {
	t.Helper()
	dir = slurmlab.Fake(t, slurmlab.FakeQueue)
	run = slurmtest.Created(t, t.TempDir(), configs.Slurm{}, chunks, "exit 0")
	testkit.Succeed(t, run.WriteRound(1, slurmtest.ChunkIDs(chunks)))
	array := slurm.Sent{Batch: slurm.Batch{Name: run.JobName() + ".1.0", Round: 1, Tasks: chunks}, Outcome: slurm.Intended,
		Args: args}
	testkit.Succeed(t, run.Note(array))
	array.Args, array.Outcome, array.JobID = nil, slurm.Submitted, sbatch.JobID{ID: "12"}
	testkit.Succeed(t, run.Note(array))
	slurmtest.Says(t, dir, "queue", run, queue...)
	return dir, run
}

// retried is what a retry does that goes well.
func retried(t *testing.T, run *slurm.Run, s configs.Slurm, opt RetryOptions) Retried {
	t.Helper()
	return testkit.Must(Retry(t.Context(), slurmtest.Hasty, run, s, opt))
}

// sentNext is a round that is sent well.
func sentNext(t *testing.T, run *slurm.Run, s configs.Slurm, chunks []slurm.Chunk) Round {
	t.Helper()
	return testkit.Must(Next(t.Context(), slurmtest.Hasty, run, s, chunks))
}

func throttled(t *testing.T, run *slurm.Run, n int) {
	t.Helper()
	testkit.Must(Throttle(t.Context(), slurmtest.Hasty, run, n))
}

// lastSent are the arguments of the last array that was sent.
func lastSent(t *testing.T, dir string) (args string) {
	t.Helper()
	sent := slurmlab.Read(t, filepath.Join(dir, "sent"))
	for line := range strings.Lines(sent) {
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
			plan := testkit.Must(run.Plan())
			plan.Chunks[0].Trials = 4
			slurmtest.SetPlan(t, run, plan)
			tt.slurm.QOS = "any" // may allow more time than the partition
			r := retried(t, run, tt.slurm, RetryOptions{Set: tt.set})
			testkit.Require(t, len(r.OutOfMemory) == tt.left && len(r.Split) == tt.split, "retried %+v", r)
			if tt.left > 0 {
				return
			}
			sent := slurm.Sent{Args: strings.Fields(lastSent(t, dir))}
			for option, want := range map[string]string{"--mem": tt.mem, "--time": tt.time} {
				testkit.Equal(t, sent.Option(option[2:]), want, "%s", option)
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
		opt                      RetryOptions
		partition, mem, excluded string
	}{
		{RetryOptions{Set: map[string]string{"mem": "8G"}, Exclude: []string{"n1", "n[3-4]"}}, "debug", "8G", "n9,n1,n[3-4]"},
		{RetryOptions{}, "debug", "8G", "n9,n1,n[3-4]"},
		{RetryOptions{Set: map[string]string{"mem": "", "exclude": ""}, Exclude: []string{"n2"}}, "debug", "", "n9,n2"},
	} {
		retried(t, run, s, tt.opt)
		args := slurm.Sent{Args: strings.Fields(lastSent(t, dir))}
		testkit.Check(t, args.Option("partition") == tt.partition && args.Option("mem") == tt.mem &&
			args.Option("exclude") == tt.excluded && (args.Option("mem-per-cpu") == "") == (tt.mem != ""),
			"retry %d sends %q", i, args.Args)
		slurmtest.Says(t, dir, "queue", run)
	}
}

// What Slurm refuses is not remembered.
func TestRetryForgetsWhatIsRefused(t *testing.T) {
	dir, run := ended(t, 1, nil, "12|0|NODE_FAIL|5:00|5:00|2026-01-02T03:04:05|n1|NAME.1.0|NodeFail")
	const typo = `case "$*" in *partition=typo*) echo "sbatch: error: invalid partition specified: typo" >&2; exit 1 ;; esac; `
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "sbatch"), []byte("#!/bin/bash\n"+typo+slurmlab.FakeQueue["sbatch"]+"\n"), 0o777))
	s := configs.Slurm{Partition: "debug"}
	opt := RetryOptions{Set: map[string]string{"partition": "typo"}}
	r, err := Retry(t.Context(), slurmtest.Hasty, run, s, opt)
	testkit.Require(t, err != nil && r.Round == nil, "retried %+v, %v", r, err)
	retried(t, run, s, RetryOptions{})
	testkit.Equal(t, (&slurm.Sent{Args: strings.Fields(lastSent(t, dir))}).Option("partition"), "debug", "the next retry sends to")
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
			r := retried(t, run, configs.Slurm{}, RetryOptions{})
			got := (&slurm.Sent{Args: strings.Fields(lastSent(t, dir))}).Option("exclude")
			testkit.Check(t, got == tt.avoided && (got != "") == (len(r.Avoided) == 1), "avoided is %q: %+v", got, r)
		})
	}
}

// A task whose log says that it was killed for its memory is sent again with more, whatever its state.
func TestRetryOfKillForMemory(t *testing.T) {
	const killed = "12|0|FAILED|0:05|5:00|2026-01-02T03:04:05|n1|NAME.1.0|JobLaunchFailure"
	dir, run := ended(t, 1, nil, killed)
	const log = "slurmstepd-n1: error: StepId=95.batch exceeded memory limit (505368576 > 104857600), being killed\n"
	testkit.Succeed(t, os.WriteFile(run.Path(slurm.LogsDir, "12_0.log"), []byte(log), 0o666))
	r := retried(t, run, configs.Slurm{}, RetryOptions{})
	testkit.Require(t, len(r.OutOfMemory) == 1 && r.Round == nil &&
		r.OutOfMemory[0].Why == "used more memory than allowed", "retried %+v", r)
	r = retried(t, run, configs.Slurm{Mem: "1G"}, RetryOptions{})
	testkit.Check(t, len(r.Again) == 1 && strings.Contains(lastSent(t, dir), "--mem=1G"),
		"with more in the sweep: %+v", r)
}

// limited is a Slurm that takes five jobs at once, all of which are in its queue for ever.
const limited = `n=1; for a; do case $a in --array=0-*) n=$((${a#--array=0-}+1)) ;; esac; done
used=$(cat "$FAKE/used" 2>/dev/null || echo 0)
[ $((used + n)) -le 5 ] || { echo "sbatch: error: AssocMaxSubmitJobLimit" >&2; echo "sbatch: error: Job violates accounting/QOS policy" >&2; exit 1; }
case "$*" in --test-only*) exit 0 ;; esac
echo $((used + n)) > "$FAKE/used"; echo "$n" >> "$FAKE/sent"; echo $((100 + used))`

func limitedSlurm(t *testing.T, most int) string {
	t.Helper()
	dir := slurmlab.Fake(t, map[string]string{
		"scontrol": strings.Replace(slurmlab.FakeConfig, "= 2", fmt.Sprint("= ", most), 1), "squeue": "exit 0",
		"scancel": `echo $(($(cat "$FAKE/used") - 1)) > "$FAKE/used"`,
	})
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "sbatch"), []byte("#!/bin/bash\n"+limited+"\n"), 0o777))
	return dir
}

// A limit of submitted jobs cuts the arrays, leaves room for the job that merges, and the rest is sent
// later, each chunk once.
func TestLimitOfSubmittedJobs(t *testing.T) {
	for name, tt := range map[string]struct {
		most, own int
		sent      string
		rest      int
		limit     string
	}{
		"one array":              {1001, 0, "4 1", 5, "AssocMaxSubmitJobLimit"},
		"no room for the last":   {5, 0, "5 1", 5, "AssocMaxSubmitJobLimit"},
		"a bound of the sweep's": {1001, 3, "2 1", 7, "max_submit"},
		"several arrays":         {2, 0, "2 2 1", 5, "AssocMaxSubmitJobLimit"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := limitedSlurm(t, tt.most)
			s := configs.Slurm{MaxSubmit: tt.own}
			run := slurmtest.Created(t, t.TempDir(), s, 9, "exit 0")
			round := sentNext(t, run, s, slurmtest.Chunks(t, run, 9))
			sent := slurmlab.Read(t, filepath.Join(dir, "sent"))
			got := strings.Join(strings.Fields(sent), " ")
			testkit.Check(t, got == tt.sent && round.Rest == tt.rest && round.Limit == tt.limit, "sent %s, and %+v", got, round)

			// Nothing more is sent before something is done.
			testkit.Succeed(t, os.Remove(filepath.Join(dir, "used")))
			testkit.Equal(t, testkit.Must(Retry(t.Context(), slurmtest.Hasty, run, s, RetryOptions{Rest: true})).Round, nil, "the rest is sent")
			slurmtest.End(t, slurmtest.Write(t, run, 0, "100_0", 0, 1), "m1", trial.Part{Of: 1}, "")
			seen := map[string]bool{}
			for n := 2; ; n++ {
				testkit.Succeed(t, os.RemoveAll(filepath.Join(dir, "used")))
				r := testkit.Must(Retry(t.Context(), slurmtest.Hasty, run, s, RetryOptions{Rest: true}))
				if r.Round == nil {
					break
				}
				for _, j := range r.Round.Jobs {
					chunks := testkit.Must(run.Round(n))
					for _, id := range chunks[j.Base : j.Base+j.Tasks] {
						testkit.Check(t, !seen[id], "chunk %s is sent twice", id)
						seen[id] = true
					}
				}
			}
			testkit.Equal(t, len(seen), tt.rest, "later")
		})
	}
}

// Without any room nothing is left behind that looks like a submission.
func TestNoRoomAtAll(t *testing.T) {
	dir := limitedSlurm(t, 1001)
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "used"), []byte("5"), 0o666))
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 2, "exit 0")
	_, err := Next(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, slurmtest.Chunks(t, run, 2))
	testkit.Fails(t, err, "AssocMaxSubmitJobLimit")
	jobs := slurmtest.Jobs(t, run)
	testkit.Check(t, len(jobs) == 1 && jobs[0].Outcome == slurm.Refused, "jobs %+v", jobs)
	testkit.Equal(t, strings.Count(fmt.Sprint(err), "submitting job"), 1, "in %v: times that the job is named", err)
}

// A job that merges sends no other one if there is no room for a task beside it.
func TestNoRoomBesideTheMerging(t *testing.T) {
	for most := 1; most <= 2; most++ {
		dir, run := ended(t, 3, nil, "13||RUNNING|0:00|5:00|N/A|n1|NAME.1.finish|None")
		testkit.Succeed(t, run.Note(slurm.Sent{Batch: slurm.Batch{Name: run.JobName() + ".1.finish", Round: 1},
			Outcome: slurm.Submitted, JobID: sbatch.JobID{ID: "13"}}))
		_, err := Next(t.Context(), slurmtest.Hasty, run, configs.Slurm{MaxSubmit: most}, slurmtest.Chunks(t, run, 3))
		testkit.Fails(t, err, "max_submit", "max_submit = %d", most)
		testkit.Fails(t, testkit.Err(os.ReadFile(filepath.Join(dir, "sent"))), "", "max_submit = %d: sent", most)
	}
}

// A task that scancel could not take back is not sent again.
func TestTaskThatStays(t *testing.T) {
	dir := limitedSlurm(t, 5)
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "scancel"), []byte("#!/bin/bash\nexit 1\n"), 0o777))
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 9, "exit 0")
	testkit.Fails(t, testkit.Err(Next(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, slurmtest.Chunks(t, run, 9))), "", "no error")
	jobs := slurmtest.Jobs(t, run)
	testkit.Check(t, len(jobs) != 0 && jobs[0].Tasks == 5 && jobs[0].Outcome == slurm.Submitted, "jobs %+v", jobs)
}

// Tasks of each kind have arrays of their own, with what they ask for, also where a retry sends some of them.
func TestArraysOfEachKind(t *testing.T) {
	slurmlab.Fake(t, map[string]string{
		"scontrol": slurmlab.FakeConfig, "squeue": slurmlab.FakeSqueue, "sbatch": slurmlab.FakeSbatch + "; echo $id"})
	s := configs.Slurm{Partition: "debug", Arrays: []configs.Array{{"gres": "gpu:a30:1"}, {"gres": "gpu:h100:1"}}}
	run := slurmtest.Created(t, t.TempDir(), s, 5, "exit 0")
	plan := testkit.Must(run.Plan())
	for i := range plan.Chunks {
		plan.Chunks[i].Kind = i % 2 // as after chunks were split
	}
	slurmtest.SetPlan(t, run, plan)
	sentNext(t, run, s, slurmtest.Chunks(t, run, 5))
	jobs := slurmtest.Jobs(t, run)
	chunks := testkit.Must(run.Round(1))
	var sent []string
	for _, j := range jobs {
		gres := ""
		for _, arg := range j.Args {
			if value, is := strings.CutPrefix(arg, "--gres="); is {
				gres = value
			}
		}
		sent = append(sent, fmt.Sprint(chunks[j.Base:j.Base+j.Tasks], " ", gres))
	}
	testkit.Equal(t, strings.Join(sent, ", "), "[0001 0003] gpu:a30:1, [0005] gpu:a30:1, [0002 0004] gpu:h100:1, [] ",
		"sent")
	p := PreviewOf(run, s, plan, 3)
	testkit.Check(t, len(p.Commands) == 6 && strings.Contains(strings.Join(p.Commands[1], " "), "--gres=gpu:h100:1"),
		"preview %q", p.Commands)
}
