package submit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/internal/testing/testkit"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// lab is a Slurm that this process's own commands ask.
func lab(t *testing.T, options slurmlab.Options) *slurmlab.Lab {
	t.Helper()
	l := slurmlab.Start(t, options)
	t.Setenv("SLURM_CONF", filepath.Join(l.Dir, "etc", "slurm.conf"))
	return l
}

// waitEnded waits until all jobs have ended, and returns them.
func waitEnded(t *testing.T, c *sbatch.Client, ids []sbatch.JobID) (jobs []sbatch.Job) {
	t.Helper()
	slurmlab.Wait(t, func() (string, bool) {
		var err error
		jobs, err = c.Jobs(t.Context(), ids)
		slurmlab.Must(t, err)
		active := slices.ContainsFunc(jobs, func(j sbatch.Job) bool { return !j.State.Terminal() })
		return fmt.Sprintf("jobs don't end: %+v", jobs), !active
	})
	return jobs
}

func jobIDs(jobs []slurm.Sent) []sbatch.JobID {
	var ids []sbatch.JobID
	for _, j := range jobs {
		ids = append(ids, j.JobID)
	}
	return ids
}

func TestLabSubmit(t *testing.T) {
	l := lab(t, slurmlab.Options{MaxArray: 3})
	t.Setenv("SBATCH_PARTITION", "nowhere")
	t.Setenv("SQUEUE_FORMAT", "%i")
	t.Setenv("CUDA_VISIBLE_DEVICES", "7")
	c := &sbatch.Client{}
	config, err := c.Config(t.Context())
	if err != nil || config.MaxArraySize != 3 {
		t.Fatalf("config %+v, %v", config, err)
	}

	// A folder with all that Slurm, bash or we could stumble over.
	root := filepath.Join(l.Dir, `it's %A "%j" $(touch pwned) größe`)
	s := configs.Slurm{Time: "00:05:00", CPUs: 1, Gres: "gpu:1", Setup: []string{`export SAID="hello  you"`}}
	run := slurmtest.Created(t, root, s, 7, `echo "$SAID|$1|$4|$6|$SLURM_ARRAY_TASK_ID|$CUDA_VISIBLE_DEVICES|$PWD"`)
	checked, err := Check(t.Context(), c, run, s, slurm.Plan{}, unknown)
	if err != nil || !strings.Contains(checked.Task, "to start at") || !strings.Contains(checked.Finish, "to start at") {
		t.Errorf("whether it could start: %+v, %v", checked, err)
	}
	round, err := Next(t.Context(), c, run, s, slurmtest.Chunks(t, run, 7))
	slurmlab.Must(t, err)
	if len(round.Jobs) != 4 {
		t.Fatalf("jobs %+v", round.Jobs)
	}
	all := jobIDs(round.Jobs)
	jobs := waitEnded(t, c, append(all, sbatch.JobID{ID: "99999"}))
	testkit.Equal(t, len(jobs), 8, "jobs %+v", jobs)
	for _, j := range jobs {
		testkit.Equal(t, j.State, sbatch.Completed, "job %+v", j)
	}
	for task, want := range map[string]string{
		all[0].ID + "_2": "hello  you|task|1|0|2|",
		all[2].ID + "_0": "hello  you|task|1|6|0|",
		all[3].ID:        "|merge|1|||",
	} {
		log, err := os.ReadFile(run.Path(slurm.LogsDir, task+".log"))
		if err != nil || !strings.HasPrefix(string(log), want) || !strings.HasSuffix(string(log), "|"+run.Dir+"\n") {
			t.Errorf("log of %s is %q, %v; want %q", task, log, err, want)
		}
		if strings.Contains(string(log), "|7|") {
			t.Errorf("the task uses the GPU of who submitted it: %s", log)
		}
	}
	if jobs, err := c.Jobs(t.Context(), []sbatch.JobID{{ID: "99999"}}); err != nil || len(jobs) != 0 {
		t.Errorf("an unknown job: %+v, %v", jobs, err)
	}
	if a, err := c.Accounting(t.Context(), all); err == nil || len(a) != 0 {
		t.Errorf("accounting where there is none: %+v", a)
	}
	if entries, _ := filepath.Glob(filepath.Join(l.Dir, "pwned")); entries != nil {
		t.Error("something in the path was run")
	}
}

// The controller is frozen while sbatch asks it, and takes the job in afterwards: our
// time-out has killed sbatch by then, or Slurm's own has ended it.
func TestLabFrozenController(t *testing.T) {
	l := lab(t, slurmlab.Options{})
	for name, timeout := range map[string]time.Duration{"our time-out": time.Second, "slurm's time-out": time.Minute} {
		t.Run(name, func(t *testing.T) {
			run := slurmtest.Created(t, l.Dir, configs.Slurm{}, 2, "sleep 300")
			c := &sbatch.Client{Timeout: timeout, Pause: 200 * time.Millisecond}
			b := arrayOf(run, 1, 0)
			b.Tasks = 2
			l.Freeze()
			var sent slurm.Sent
			var err error
			done := make(chan struct{})
			go func() {
				defer close(done)
				sent, err = send(t.Context(), c, run, "", b, argsOf(run, b, configs.Slurm{}, ""))
			}()
			time.Sleep(7 * time.Second) // the lab's time-out is 5 s
			l.Thaw()
			<-done
			if err != nil || sent.Outcome != slurm.Submitted || sent.ID == "" {
				t.Fatalf("sent %+v, %v", sent, err)
			}
			jobs, err := (&sbatch.Client{}).Named(t.Context(), "", b.Name)
			if err != nil || len(jobs) != 2 || jobs[0].ID != sent.ID || jobs[1].ID != sent.ID {
				t.Errorf("of two tasks, slurm has %+v, %v", jobs, err)
			}
			slurmlab.Must(t, (&sbatch.Client{}).Cancel(t.Context(), []sbatch.JobID{sent.JobID}))
		})
	}
}

// A throttle bounds the run, however many arrays it has, and can be taken back.
func TestLabThrottleOfSeveralArrays(t *testing.T) {
	l := lab(t, slurmlab.Options{MaxArray: 3})
	c := &sbatch.Client{}
	run := slurmtest.Created(t, l.Dir, configs.Slurm{}, 8, `[ "$2" = "" ] || sleep 300`)
	blocker := l.Run("sbatch", "--parsable", "--output=/dev/null", "--exclusive", "--nodes=3", "--wrap=sleep 300")
	l.WaitJob(blocker, "RUNNING")
	round, err := Next(t.Context(), c, run, configs.Slurm{}, slurmtest.Chunks(t, run, 8))
	slurmlab.Must(t, err)
	_, err = Throttle(t.Context(), c, run, 2)
	slurmlab.Must(t, err)
	l.Run("scancel", blocker)
	count := func(wanted func(running, waiting int) bool) {
		t.Helper()
		slurmlab.Wait(t, func() (string, bool) {
			jobs, err := c.Jobs(t.Context(), jobIDs(round.Jobs[:3]))
			slurmlab.Must(t, err)
			running, waiting := 0, 0
			for _, j := range jobs {
				if j.State == sbatch.Running {
					running++
				}
				if j.Reason == "Dependency" {
					waiting++
				}
			}
			return fmt.Sprintf("%d tasks run, and %d wait for others: %+v", running, waiting, jobs), wanted(running, waiting)
		})
	}
	count(func(running, waiting int) bool { return running == 2 && waiting == 5 })
	_, err = Throttle(t.Context(), c, run, 0)
	slurmlab.Must(t, err)
	count(func(running, waiting int) bool { return running == 8 && waiting == 0 })
	_, err = Cancel(t.Context(), c, run)
	slurmlab.Must(t, err)
}

func TestLabAccounting(t *testing.T) {
	l := lab(t, slurmlab.Options{Accounting: true})
	c := &sbatch.Client{}
	run := slurmtest.Created(t, l.Dir, configs.Slurm{}, 2, `[ "$SLURM_ARRAY_TASK_ID" != 1 ] || exit 7`)
	// -M needs accounting; sbatch then names the cluster.
	config, err := c.Config(t.Context())
	slurmlab.Must(t, err)
	t.Setenv("SLURM_CLUSTERS", config.Cluster)
	round, err := Next(t.Context(), c, run, configs.Slurm{}, slurmtest.Chunks(t, run, 2))
	slurmlab.Must(t, err)
	t.Setenv("SLURM_CLUSTERS", "elsewhere")
	array := round.Jobs[0].JobID
	if array.Cluster != config.Cluster {
		t.Errorf("the array is on %q, not on %q", array.Cluster, config.Cluster)
	}
	waitEnded(t, c, []sbatch.JobID{array})
	failed := func(j sbatch.Job) bool { return j.Task == 1 && j.State == sbatch.Failed && j.Exit == "7:0" }
	slurmlab.Wait(t, func() (string, bool) {
		a, err := c.Accounting(t.Context(), []sbatch.JobID{array})
		return fmt.Sprintf("accounting %+v", a), err == nil && slices.ContainsFunc(a, failed)
	})
	a, err := c.AccountingNamed(t.Context(), config.Cluster, round.Jobs[0].Name, time.Now())
	if err != nil || len(a) != 2 || a[0].ID != array.ID {
		t.Errorf("by name: %+v", a)
	}
}
