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
	"spmvtune/tuner/trial"
)

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
	slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "sbatch"), []byte("#!/bin/bash\n"+limited+"\n"), 0o777))
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
			round, err := Next(t.Context(), slurmtest.Hasty, run, s, slurmtest.Chunks(t, run, 9))
			slurmlab.Must(t, err)
			sent, err := os.ReadFile(filepath.Join(dir, "sent"))
			slurmlab.Must(t, err)
			if got := strings.Join(strings.Fields(string(sent)), " "); got != tt.sent || round.Rest != tt.rest || round.Limit != tt.limit {
				t.Errorf("sent %s, and %+v", got, round)
			}

			// Nothing more is sent before something is done.
			slurmlab.Must(t, os.Remove(filepath.Join(dir, "used")))
			if r, err := Rest(t.Context(), slurmtest.Hasty, run, s); err != nil || r.Round != nil {
				t.Errorf("the rest is sent: %+v, %v", r, err)
			}
			slurmtest.End(t, slurmtest.Write(t, run, 0, "100_0", 0, 1), "m1", trial.Part{Of: 1}, "")
			seen := map[string]bool{}
			for n := 2; ; n++ {
				slurmlab.Must(t, os.RemoveAll(filepath.Join(dir, "used")))
				r, err := Rest(t.Context(), slurmtest.Hasty, run, s)
				slurmlab.Must(t, err)
				if r.Round == nil {
					break
				}
				for _, j := range r.Round.Jobs {
					chunks, err := run.Round(n)
					slurmlab.Must(t, err)
					for _, id := range chunks[j.Base : j.Base+j.Tasks] {
						if seen[id] {
							t.Errorf("chunk %s is sent twice", id)
						}
						seen[id] = true
					}
				}
			}
			if len(seen) != tt.rest {
				t.Errorf("later %d chunks are sent, not %d", len(seen), tt.rest)
			}
		})
	}
}

// Without any room nothing is left behind that looks like a submission.
func TestNoRoomAtAll(t *testing.T) {
	dir := limitedSlurm(t, 1001)
	slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "used"), []byte("5"), 0o666))
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 2, "exit 0")
	_, err := Next(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, slurmtest.Chunks(t, run, 2))
	if err == nil || !strings.Contains(err.Error(), "AssocMaxSubmitJobLimit") {
		t.Errorf("error %v", err)
	}
	jobs := slurmtest.Jobs(t, run)
	if len(jobs) != 1 || jobs[0].Outcome != slurm.Refused {
		t.Errorf("jobs %+v", jobs)
	}
}

// A job that merges sends no other one if there is no room for a task beside it.
func TestNoRoomBesideTheMerging(t *testing.T) {
	for most := 1; most <= 2; most++ {
		dir, run := ended(t, 3, nil, "13||RUNNING|0:00|5:00|N/A|n1|NAME.1.finish|None")
		slurmlab.Must(t, run.Note(slurm.Sent{Batch: slurm.Batch{Name: run.JobName() + ".1.finish", Round: 1},
			Outcome: slurm.Submitted, JobID: sbatch.JobID{ID: "13"}}, nil))
		_, err := Next(t.Context(), slurmtest.Hasty, run, configs.Slurm{MaxSubmit: most}, slurmtest.Chunks(t, run, 3))
		if err == nil || !strings.Contains(err.Error(), "max_submit") {
			t.Errorf("max_submit = %d: error %v", most, err)
		}
		if sent, err := os.ReadFile(filepath.Join(dir, "sent")); err == nil {
			t.Errorf("max_submit = %d: sent %s", most, sent)
		}
	}
}

// A task that scancel could not take back is not sent again.
func TestTaskThatStays(t *testing.T) {
	dir := limitedSlurm(t, 5)
	slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "scancel"), []byte("#!/bin/bash\nexit 1\n"), 0o777))
	run := slurmtest.Created(t, t.TempDir(), configs.Slurm{}, 9, "exit 0")
	if _, err := Next(t.Context(), slurmtest.Hasty, run, configs.Slurm{}, slurmtest.Chunks(t, run, 9)); err == nil {
		t.Error("no error")
	}
	jobs := slurmtest.Jobs(t, run)
	if len(jobs) == 0 || jobs[0].Tasks != 5 || jobs[0].Outcome != slurm.Submitted {
		t.Errorf("jobs %+v", jobs)
	}
}

// Tasks of each kind have arrays of their own, with what they ask for, also where a retry sends some of them.
func TestArraysOfEachKind(t *testing.T) {
	slurmlab.Fake(t, map[string]string{
		"scontrol": slurmlab.FakeConfig, "squeue": slurmlab.FakeSqueue, "sbatch": slurmlab.FakeSbatch + "; echo $id"})
	s := configs.Slurm{Partition: "debug", Arrays: []configs.Array{{"gres": "gpu:a30:1"}, {"gres": "gpu:h100:1"}}}
	run := slurmtest.Created(t, t.TempDir(), s, 5, "exit 0")
	plan, err := run.Plan()
	slurmlab.Must(t, err)
	for i := range plan.Chunks {
		plan.Chunks[i].Kind = i % 2 // as after chunks were split
	}
	slurmtest.SetPlan(t, run, plan)
	_, err = Next(t.Context(), slurmtest.Hasty, run, s, slurmtest.Chunks(t, run, 5))
	slurmlab.Must(t, err)
	jobs := slurmtest.Jobs(t, run)
	chunks, err := run.Round(1)
	slurmlab.Must(t, err)
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
	if got, want := strings.Join(sent, ", "), "[0001 0003] gpu:a30:1, [0005] gpu:a30:1, [0002 0004] gpu:h100:1, [] "; got != want {
		t.Errorf("sent %s\nwant %s", got, want)
	}
	p := PreviewOf(run, s, plan, 3)
	if len(p.Commands) != 6 || !strings.Contains(strings.Join(p.Commands[1], " "), "--gres=gpu:h100:1") {
		t.Errorf("preview %q", p.Commands)
	}
}
