package sbatch

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/testkit"
)

// recorded is what a command of Slurm printed once.
func recorded(t *testing.T, name string) string {
	t.Helper()
	data := slurmlab.Read(t, filepath.Join("testdata", "recorded", filepath.FromSlash(name)))
	return data
}

// byName are jobs by name, with the index where they are tasks of an array: a
// recording that is made anew has other ids.
func byName(jobs []Job) map[string]Job {
	all := map[string]Job{}
	for _, j := range jobs {
		name := j.Name
		if j.Task >= 0 {
			name += fmt.Sprintf("/%d", j.Task)
		}
		all[name] = j
	}
	return all
}

func TestParseQueue(t *testing.T) {
	jobs, err := parseQueue(recorded(t, "22.05/squeue.txt"), "")
	slurmlab.Must(t, err)
	got := byName(jobs)
	for name, want := range map[string]State{
		"preempted": Preempted, "two words/0": Completed, "two words/1": Failed, "throttled/4": Running,
		"throttled/6": Pending, "above": Pending, "late": Deadline, "over": TimedOut, "cancelled": Cancelled, "lost": NodeFail,
	} {
		testkit.Equal(t, got[name].State, want, "%s", name)
	}
	testkit.Equal(t, got["above"].Reason, "PartitionTimeLimit", "reason")
	if j := got["two words/1"]; j.Reason != "NonZeroExitCode" || j.Nodes != "n1" || j.Start.IsZero() {
		t.Errorf("a failed task is %+v", j)
	}
	if j := got["winner"]; j.Task != -1 {
		t.Errorf("a job is %+v", j)
	}
	if j := got["throttled/4"]; j.Ran < 20*time.Second || j.Reason != "" {
		t.Errorf("a running task is %+v", j)
	}
	if j := got["finish"]; j.Reason != "Dependency" || j.Nodes != "" || !j.Start.IsZero() {
		t.Errorf("a job that waits is %+v", j)
	}
}

func TestParseQueueElsewhere(t *testing.T) {
	jobs, err := parseQueue(recorded(t, "elsewhere/squeue-federation.txt"), "")
	slurmlab.Must(t, err)
	if len(jobs) != 2 || jobs[0].Cluster != "alpha" || jobs[1].Cluster != "beta" {
		t.Errorf("on clusters: %+v", jobs)
	}
	jobs, err = parseQueue(recorded(t, "elsewhere/squeue.txt"), "")
	slurmlab.Must(t, err)
	if jobs[1].State != OutOfMemory || jobs[3].State != Revoked || jobs[4].State != Unknown {
		t.Errorf("states are %+v", jobs)
	}
	jobs, err = parseQueue("7|N/A|PENDING|0:00|5:00|N/A||a | bar|None\n", "")
	if err != nil || jobs[0].Name != "a | bar" {
		t.Errorf("a name with a bar: %+v, %v", jobs, err)
	}
	if _, err := parseQueue("squeue has become chatty\n", ""); err == nil {
		t.Error("a line that is no job is taken for one")
	}
}

func TestParseAccounts(t *testing.T) {
	jobs, err := parseAccounts(recorded(t, "22.05/sacct.txt"), "")
	slurmlab.Must(t, err)
	got := byName(jobs)
	if j := got["two words/1"]; j.State != Failed || j.Exit != "3:0" {
		t.Errorf("a failed task is %+v", j)
	}
	if j := got["cancelled"]; j.State != Cancelled {
		t.Errorf("a cancelled job is %+v", j)
	}
	if j := got["above"]; j.Nodes != "" || !j.Start.IsZero() {
		t.Errorf("a pending job is %+v", j)
	}
	jobs, err = parseAccounts(recorded(t, "elsewhere/sacct.txt"), "")
	slurmlab.Must(t, err)
	states := map[State]int{}
	for _, j := range jobs {
		states[j.State]++
	}
	if states[Pending] < 800 || states[OutOfMemory] != 1 || states[Unknown] != 1 || states[Completed] != 1 {
		t.Errorf("states are %v", states)
	}
}

func TestParseTasks(t *testing.T) {
	for text, want := range map[string][]int{
		"12":                    {-1},
		"12_3":                  {3},
		"12_[3]":                {3},
		"12_[1-3,5%2]":          {1, 2, 3, 5},
		"12_[0-20:10,30]":       {0, 10, 20, 30},
		"12_[1,2,...]":          {1, 2},
		"12.batch":              nil,
		"12_3.batch":            nil,
		"12_[0-4294967295]":     nil, // no array is that long
		"12_[0-4:0]":            nil,
		"12+1":                  nil, // of a job with several components, which we never submit
		"Slurm is out of order": nil,
	} {
		_, got, ok := parseTasks(text)
		if ok != (want != nil) || ok && !slices.Equal(got, want) {
			t.Errorf("parseTasks(%q) = %v, %v", text, got, ok)
		}
	}
}

func TestParseConfig(t *testing.T) {
	for file, want := range map[string]Config{
		"22.05/config.txt":           {"cluster", 1001, 20000, 0, 0, true, false},
		"elsewhere/config-25.05.txt": {"", 11000, 65000, 0, 0, false, false},
	} {
		if got, err := parseConfig(recorded(t, file)); err != nil || got != want {
			t.Errorf("%s: %+v, %v", file, got, err)
		}
	}
	if _, err := parseConfig("Configuration data as of today\n"); err == nil {
		t.Error("a configuration without MaxArraySize is taken")
	}
}

func TestParseSubmitted(t *testing.T) {
	for file, cluster := range map[string]string{
		"22.05/sbatch.txt":         "",
		"22.05/sbatch-cluster.txt": "cluster",
	} {
		if got, ok := parseSubmitted(recorded(t, file)); !ok || got.Cluster != cluster {
			t.Errorf("%s: %+v, %v", file, got, ok)
		}
	}
	if got, ok := parseSubmitted("sbatch: no partition specified, using default partition m100\n7787232\n"); !ok || got.ID != "7787232" {
		t.Errorf("after a site's own words: %+v, %v", got, ok)
	}
	for _, out := range []string{"", "Submitted batch job 12", "no"} {
		if id, ok := parseSubmitted(out); ok {
			t.Errorf("%q gives job %v", out, id)
		}
	}
}

func TestLimit(t *testing.T) {
	out := recorded(t, "22.05/partitions.txt")
	for partition, want := range map[string]Limit{
		"":           {"debug", 10 * time.Minute, 5 * time.Minute, 0, 0},
		"low":        {"low", 10 * time.Minute, 5 * time.Minute, 0, 0},
		"high,debug": {"debug", 10 * time.Minute, 5 * time.Minute, 0, 0},
	} {
		if got, err := parseLimit(out, partition); err != nil || got != want {
			t.Errorf("%q: %+v, %v", partition, got, err)
		}
	}
	if l, err := parseLimit(out, "high"); err != nil || l.Max != 0 || l.Check("30-00") != nil {
		t.Errorf("a partition without a limit: %+v, %v", l, err)
	}
	testkit.Fails(t, testkit.Err(parseLimit(out, "nowhere")), "low", "an unknown partition")
	l := Limit{"debug", 10 * time.Minute, 5 * time.Minute, 0, 0}
	for limit, ok := range map[string]bool{"10": true, "00:10:00": true, "10:01": false, "1-00": false, "0": false, "": true} {
		if err := l.Check(limit); (err == nil) != ok {
			t.Errorf("a limit of %q: %v", limit, err)
		}
	}
}

func TestParseTime(t *testing.T) {
	for text, want := range map[string]time.Duration{
		"90": 90 * time.Minute, "1:30": 90 * time.Second, "01:00:00": time.Hour, "2-12": 60 * time.Hour,
		"1-00:30": 24*time.Hour + 30*time.Minute, "1-02:03:04": 26*time.Hour + 3*time.Minute + 4*time.Second,
		"UNLIMITED": 0, "infinite": 0,
	} {
		got, ok := ParseTime(text)
		if !ok || got != want {
			t.Errorf("ParseTime(%q) = %s, %v", text, got, ok)
		}
		if back, ok := ParseTime(FormatTime(got)); !ok || back != got {
			t.Errorf("%q is written as %q", text, FormatTime(got))
		}
	}
	for _, text := range []string{"", "soon", "1:2:3:4", "-1", "1-2:3:4:5", "N/A"} {
		if d, ok := ParseTime(text); ok {
			t.Errorf("ParseTime(%q) = %s", text, d)
		}
	}
}
