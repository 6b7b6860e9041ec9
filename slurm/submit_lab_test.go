package slurm

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/slurmlab"
)

// lab is a Slurm that this process's own commands ask.
func lab(t *testing.T, options slurmlab.Options) *slurmlab.Lab {
	t.Helper()
	l := slurmlab.Start(t, options)
	t.Setenv("SLURM_CONF", filepath.Join(l.Dir, "etc", "slurm.conf"))
	return l
}

// waitEnded waits until all jobs have ended, and returns them.
func waitEnded(t *testing.T, c *Client, ids []JobID) []Job {
	t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; time.Sleep(100 * time.Millisecond) {
		jobs, err := c.Jobs(t.Context(), ids)
		must(t, err)
		if !slices.ContainsFunc(jobs, func(j Job) bool { return !j.State.Terminal() }) {
			return jobs
		}
		if time.Now().After(end) {
			t.Fatalf("jobs don't end: %+v", jobs)
		}
	}
}

func jobIDs(jobs []Sent) []JobID {
	var ids []JobID
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
	c := &Client{}
	config, err := c.Config(t.Context())
	if err != nil || config.MaxArraySize != 3 {
		t.Fatalf("config %+v, %v", config, err)
	}

	// A folder with all that Slurm, bash or we could stumble over.
	root := filepath.Join(l.Dir, `it's %A "%j" $(touch pwned) größe`)
	s := configs.Slurm{Time: "00:05:00", CPUs: 1, Gres: "gpu:1", Setup: []string{`export SAID="hello  you"`}}
	run := created(t, root, s, 7, `echo "$SAID|$1|$4|$6|$SLURM_ARRAY_TASK_ID|$CUDA_VISIBLE_DEVICES|$PWD"`)
	said, err := run.TestOnly(t.Context(), c, s)
	if err != nil || len(said) != 2 || !strings.Contains(said[0], "to start at") {
		t.Errorf("whether it could start: %q, %v", said, err)
	}
	round, err := run.Submit(t.Context(), c, s, chunkIDs(7))
	must(t, err)
	if len(round.Jobs) != 4 {
		t.Fatalf("jobs %+v", round.Jobs)
	}
	all := jobIDs(round.Jobs)
	jobs := waitEnded(t, c, append(all, JobID{ID: "99999"}))
	if len(jobs) != 8 {
		t.Errorf("jobs %+v", jobs)
	}
	for _, j := range jobs {
		if j.State != Completed {
			t.Errorf("job %+v", j)
		}
	}
	for task, want := range map[string]string{
		all[0].ID + "_2": "hello  you|task|1|0|2|",
		all[2].ID + "_0": "hello  you|task|1|6|0|",
		all[3].ID:        "|merge|1|||",
	} {
		log, err := os.ReadFile(run.Path(logsDir, task+".log"))
		if err != nil || !strings.HasPrefix(string(log), want) || !strings.HasSuffix(string(log), "|"+run.Dir+"\n") {
			t.Errorf("log of %s is %q, %v; want %q", task, log, err, want)
		}
		if strings.Contains(string(log), "|7|") {
			t.Errorf("the task uses the GPU of who submitted it: %s", log)
		}
	}
	if jobs, err := c.Jobs(t.Context(), []JobID{{ID: "99999"}}); err != nil || len(jobs) != 0 {
		t.Errorf("an unknown job: %+v, %v", jobs, err)
	}
	if a := c.Accounting(t.Context(), all); a.Missing == "" || len(a.Jobs) != 0 {
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
			run := created(t, l.Dir, configs.Slurm{}, 2, "sleep 300")
			c := &Client{Timeout: timeout, Pause: 200 * time.Millisecond}
			b := run.batches(1, 2, 2)[0]
			l.Freeze()
			var sent Sent
			var err error
			done := make(chan struct{})
			go func() {
				defer close(done)
				sent, err = run.send(t.Context(), c, "", b, run.args(b, configs.Slurm{}, nil))
			}()
			time.Sleep(7 * time.Second) // the lab's time-out is 5 s
			l.Thaw()
			<-done
			if err != nil || sent.Outcome != Submitted || sent.ID == "" {
				t.Fatalf("sent %+v, %v", sent, err)
			}
			jobs, err := (&Client{}).Named(t.Context(), "", b.Name)
			if err != nil || len(jobs) != 2 || jobs[0].ID != sent.ID || jobs[1].ID != sent.ID {
				t.Errorf("of two tasks, slurm has %+v, %v", jobs, err)
			}
			must(t, (&Client{}).Cancel(t.Context(), []JobID{sent.JobID}))
		})
	}
}

func TestLabThrottleRequeueCancel(t *testing.T) {
	l := lab(t, slurmlab.Options{})
	c := &Client{}
	s := configs.Slurm{Throttle: 1}
	run := created(t, l.Dir, s, 4, `[ "$2" = "" ] || [ "$SLURM_ARRAY_TASK_ID" = 0 ] || sleep 300`)
	round, err := run.Submit(t.Context(), c, s, chunkIDs(4))
	must(t, err)
	array := round.Jobs[0].JobID
	running := func(n int) []Job {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
			jobs, err := c.Jobs(t.Context(), []JobID{array})
			must(t, err)
			now := slices.DeleteFunc(slices.Clone(jobs), func(j Job) bool { return j.State != Running || j.Task == 0 })
			if len(now) == n {
				return jobs
			}
			if time.Now().After(end) {
				t.Fatalf("not %d tasks run: %+v", n, jobs)
			}
		}
	}
	if jobs := running(1); !slices.ContainsFunc(jobs, func(j Job) bool { return j.Reason == "JobArrayTaskLimit" }) {
		t.Errorf("nothing waits for the throttle: %+v", jobs)
	}
	must(t, c.Throttle(t.Context(), array, 2)) // task 0 has ended already
	running(2)
	must(t, c.Requeue(t.Context(), JobID{ID: array.ID + "_1"}))
	if err := c.Requeue(t.Context(), JobID{ID: "99999"}); err == nil {
		t.Error("an unknown job is requeued")
	}
	must(t, c.Cancel(t.Context(), append(jobIDs(round.Jobs), JobID{ID: "99999"})))
	for _, j := range waitEnded(t, c, []JobID{array}) {
		if want := map[bool]State{true: Completed, false: Cancelled}[j.Task == 0]; j.State != want {
			t.Errorf("task %d is %s", j.Task, j.State)
		}
	}
}

func TestLabAccounting(t *testing.T) {
	l := lab(t, slurmlab.Options{Accounting: true})
	c := &Client{}
	run := created(t, l.Dir, configs.Slurm{}, 2, `[ "$SLURM_ARRAY_TASK_ID" != 1 ] || exit 7`)
	// -M needs accounting; sbatch then names the cluster.
	config, err := c.Config(t.Context())
	must(t, err)
	t.Setenv("SLURM_CLUSTERS", config.Cluster)
	round, err := run.Submit(t.Context(), c, configs.Slurm{}, chunkIDs(2))
	must(t, err)
	t.Setenv("SLURM_CLUSTERS", "elsewhere")
	array := round.Jobs[0].JobID
	if array.Cluster != config.Cluster {
		t.Errorf("the array is on %q, not on %q", array.Cluster, config.Cluster)
	}
	waitEnded(t, c, []JobID{array})
	for end := time.Now().Add(time.Minute); ; time.Sleep(200 * time.Millisecond) {
		a := c.Accounting(t.Context(), []JobID{array})
		got := byName(a.Jobs)
		if j := got[round.Jobs[0].Name+"/1"]; a.Missing == "" && j.State == Failed && j.Exit == "7:0" {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("accounting %+v", a)
		}
	}
	a := c.accountingNamed(t.Context(), config.Cluster, round.Jobs[0].Name, time.Now())
	if len(a.Jobs) != 2 || a.Jobs[0].ID != array.ID {
		t.Errorf("by name: %+v", a)
	}
}
