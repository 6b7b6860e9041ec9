package tuner

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/testing/testkit"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// twoPhases is a sweep of two matrices for a GPU, with repeats.
func twoPhases() *configs.Sweep {
	sweep := onGPU(testSweep(101, 102, 103, 104, 105, 106))
	sweep.Protocol.Repeats = 3
	second := sweep.Matrices[0]
	second.Name, second.Args = "larger", map[string]any{"nx": int64(2000), "ny": int64(300)}
	sweep.Matrices = append(sweep.Matrices, second)
	return sweep
}

// Each phase of a matrix on a GPU has its process, which was started during the one before. What spares do, or that
// they fail, changes nothing of what is measured.
func TestSpares(t *testing.T) {
	for _, tt := range []struct {
		name, backend string
		fails         func(process int32) bool // whether a process ends at once
		processes     int32
	}{
		{"GPU", "cuda", func(int32) bool { return false }, 4},
		{"spare of repeats fails", "cuda", func(p int32) bool { return p == 2 }, 5},
		{"processor", "cpu", func(int32) bool { return false }, 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var started atomic.Int32
			launch := launcher(tt.backend)
			sweep, rec := twoPhases(), &memory{}
			if tt.backend == "cpu" {
				sweep.Kernels[0].Kernels = []string{"cpu_csr_rows"}
			}
			sum, err := Run(t.Context(), sweep, rec, Options{Launch: func() *exec.Cmd {
				if tt.fails(started.Add(1)) {
					return exec.Command("false")
				}
				return launch()
			}})
			if err != nil || len(sum.Failures) > 0 || sum.Measured[trial.OK] != 12 || sum.NoiseReruns != 6 ||
				len(rec.results) != 12 {
				t.Errorf("error %v, summary %+v, %d results", err, sum, len(rec.results))
			}
			for _, r := range rec.results {
				if _, told := r.Properties[Overlapped]; told && tt.backend == "cpu" {
					t.Error("something overlaps a trial on a processor")
				}
			}
			testkit.Equal(t, started.Load(), tt.processes, "processes were started")
		})
	}
}

// A trial that ran out of memory beside something else is measured again alone before that is said of it, and once.
func TestOutOfMemoryAlone(t *testing.T) {
	var started atomic.Int32
	rec := &memory{}
	sweep := onGPU(testSweep(exhaustMemory, 102, 103, 104))
	launch := launcher("cuda")
	sum, err := Run(t.Context(), sweep, rec, Options{Launch: func() *exec.Cmd { started.Add(1); return launch() }})
	if err != nil || sum.Measured[trial.OOM] != 1 || sum.Measured[trial.OK] != 3 || len(rec.results) != 4 {
		t.Errorf("error %v, measured %v, %d results", err, sum.Measured, len(rec.results))
	}
	if n := started.Load(); n < 2 || n > 3 {
		t.Errorf("%d processes, want one and one after each time that memory ran out, twice at most", n)
	}
}

// The coin of a trial is the same in each run of a sweep on a device, holds one of eight back, and differs by seed.
func TestCoin(t *testing.T) {
	toss := func(seed uint64, job string) (sides []bool, held int) {
		sweep := testSweep()
		sweep.Protocol.Seed = seed
		r := newRun(sweep, &memory{}, Options{Job: job})
		for i := range 8000 {
			sides = append(sides, r.waits(trial.Trial{ID: fmt.Sprint(i)}))
			if sides[i] {
				held++
			}
		}
		return sides, held
	}
	first, held := toss(1, "")
	again, _ := toss(1, "")
	seed, _ := toss(2, "")
	job, _ := toss(1, "7")
	if !slices.Equal(first, again) || slices.Equal(first, seed) || slices.Equal(first, job) {
		t.Error("the coin does not follow from seed and job alone")
	}
	if held < 850 || held > 1150 {
		t.Errorf("%d of 8000 trials are held back", held)
	}
}

// pauseWorker is a parent with a paused worker, whose process it prints.
func pauseWorker() {
	signal.Ignore(syscall.SIGHUP) // as workers do, which inherit it here
	var cmd *exec.Cmd
	c, err := worker.Start(func() *exec.Cmd { cmd = testLauncher(); return cmd })
	if err != nil {
		panic(err)
	}
	c.Pause(true)
	fmt.Println(cmd.Process.Pid)
	select {}
}

// A worker that is paused while its parent is killed ends as well: the system lets a group of processes go on that
// nobody is there for any more.
func TestPausedWorkerEndsWithItsParent(t *testing.T) {
	session := func(process string) string {
		text, _ := os.ReadFile("/proc/" + process + "/stat")
		_, after, _ := strings.Cut(string(text), ") ")
		return strings.Join(slices.Concat(strings.Fields(after), make([]string, 4))[3:4], "")
	}
	if session("self") == "" || session("self") == session("1") {
		t.Skip("no process of this session is ever without a parent, or the system does not list processes")
	}
	parent := exec.Command(os.Args[0])
	parent.Env = append(os.Environ(), "SPMVTUNE_TEST_PARENT=1")
	out, err := parent.StdoutPipe()
	if err == nil {
		err = parent.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	var pid int
	testkit.Must(fmt.Fscan(out, &pid))
	state := func() string {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, after, _ := strings.Cut(string(text), ") ")
		return after[:min(1, len(after))]
	}
	for state() != "T" {
		time.Sleep(time.Millisecond)
	}
	parent.Process.Kill()
	parent.Wait()
	for s := state(); s != "" && s != "Z"; s = state() {
		time.Sleep(time.Millisecond)
	}
}
