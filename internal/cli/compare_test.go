// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/sparse/cache"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
)

// common is the name of a matrix that taught the newest rule that comes with the program, too.
const common = "atlanta-ip"

// timed makes a database in which a kernel takes so many ms.
func timed(t *testing.T, device string, ms float64, change ...func(*trial.Result)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), analysis.DatabaseFile)
	db := testkit.Must(store.Open(path))
	defer db.Close()
	r := trial.Result{Trial: trial.Trial{ID: "1", Matrix: "1", Cache: trial.Warm,
		Config: kernels.Config{Kernel: "cpu_csr", Precision: kernels.Float32}},
		Status: trial.OK, Median: 1e-3 * ms, WithinLow: 1e-3 * ms, WithinHigh: 1e-3 * ms, At: time.Unix(1, 0)}
	for i := range 12 {
		r.Samples = append(r.Samples, 1e-3*ms*(1+1e-4*float64(i)))
	}
	for _, c := range change {
		c(&r)
	}
	run := tuner.RunInfo{Sweep: &configs.Sweep{Name: "s"}, Device: kernels.Device{Backend: "cpu", Name: device},
		Sources: map[string]string{"cpu_csr": "1"}}
	testkit.Succeed(t, db.Begin(t.Context(), run))
	testkit.Succeed(t, db.Matrix(t.Context(), trial.Matrix{Name: common, Hash: "1"}))
	testkit.Succeed(t, db.Record(t.Context(), r))
	return path
}

// What CI looks at: 4 where something became slower, and only then.
func TestCompareExitCode(t *testing.T) {
	before, slower, elsewhere := timed(t, "here", 1), timed(t, "here", 1.05), timed(t, "there", 1)
	for _, tt := range []struct {
		args []string
		want int
	}{
		{[]string{before, slower}, command.ExitSlower},
		{[]string{before, slower, "--json"}, command.ExitSlower},
		{[]string{slower, before}, command.ExitOK},
		{[]string{before, slower, "--threshold", "10%"}, command.ExitOK},
		{[]string{before, elsewhere}, command.ExitFailed},
		{[]string{before, elsewhere, "--across-devices"}, command.ExitOK},
		{nil, command.ExitUsage},
	} {
		root := New()
		root.SetArgs(append([]string{"compare"}, tt.args...))
		root.SetOut(io.Discard)
		testkit.Equal(t, command.Finish(io.Discard, root.ExecuteContext(t.Context())), tt.want,
			"%s: exit code", fmt.Sprint(tt.args))
	}
}

// A trial that ended with its first product has no interval, and its pair none either.
func TestComparedWithoutInterval(t *testing.T) {
	slow := timed(t, "here", 9, func(r *trial.Result) { r.WithinLow, r.WithinHigh, r.Stop = 0, 0, trial.StopSlow })
	var out strings.Builder
	root := New()
	root.SetArgs([]string{"compare", timed(t, "here", 1), slow})
	root.SetOut(&out)
	testkit.Equal(t, command.Finish(io.Discard, root.ExecuteContext(t.Context())), command.ExitSlower, "exit code")
	line, _, _ := strings.Cut(out.String(), "\n\n")
	testkit.Check(t, strings.HasSuffix(strings.TrimSpace(line), "–"), "got\n%s", out.String())
}

// What was tuned on the device of the newest rule that comes with the program adds to what taught that; of another
// device it is alone, and so is any other run.
func TestTuneTeachesTheShippedRule(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, tt := range []struct {
		run, device string
		more        bool
	}{{"tune", "NVIDIA H200", true}, {"tune", "here", false}, {"other", "NVIDIA H200", false}} {
		folder := filepath.Join(command.OutRoot(), tt.run)
		testkit.Succeed(t, os.MkdirAll(folder, 0o777))
		testkit.Succeed(t, os.Rename(timed(t, tt.device, 1), filepath.Join(folder, analysis.DatabaseFile)))
		cmd := &cobra.Command{}
		cmd.SetContext(t.Context())
		seen, test, err := observedIn(cmd, []string{tt.run}, "")
		more := len(seen) > 10_000
		testkit.Check(t, err == nil && more == tt.more && (more || len(seen) == 1) && more == (len(test) != 0),
			"%s on %s: %d observations, final test %q, %v", tt.run, tt.device, len(seen), test, err)
		seen = slices.DeleteFunc(seen, func(o rule.Observation) bool { return o.Matrix != common })
		testkit.Equal(t, len(seen), 1, "%s on %s: observations of %s", tt.run, tt.device, common)
	}
}

// What several databases teach is what a report on them shows: of a configuration the trial
// in force, which is the latest, not the one with the narrowest interval.
func TestLearnAndReportKeepTheSameTrials(t *testing.T) {
	later := func(r *trial.Result) {
		r.ID, r.At, r.WithinLow, r.WithinHigh = "2", r.At.Add(time.Hour), 0.5*r.Median, 2*r.Median
	}
	paths := []string{timed(t, "here", 1), timed(t, "here", 3, later)}
	seen, _, err := observed(t.Context(), io.Discard, paths)
	testkit.Succeed(t, err)
	db := testkit.Must(store.Gather(t.Context(), filepath.Join(t.TempDir(), analysis.DatabaseFile), paths, store.Choice{}))
	defer db.Close()
	rows := testkit.Must(db.Results(t.Context(), store.Filter{}))
	testkit.Check(t, len(seen) == 1 && len(rows) == 1 && seen[0].Seconds == rows[0].Median && seen[0].Seconds == 3e-3,
		"learned from %+v, reported on %+v; want the later trial of 3 ms", seen, rows)
}

// A verdict within 2% is not printed where the intervals tell less, and then says what they tell.
func TestReplaySaysWhatNoiseHides(t *testing.T) {
	grid := func(low float64) search.Grid {
		g := search.Grid{Case: trial.Case{Matrix: "m", Precision: kernels.Float32, Cache: trial.Warm}}
		for i := range 4 {
			median := 1 + 0.01*float64(i)
			g.Trials = append(g.Trials, trial.Result{Status: trial.OK, Median: median, Samples: []float64{median}, Batch: 1,
				Trial: trial.Trial{Config: kernels.Config{Kernel: "cpu_csr_rows", Block: 32 << i}}})
			g.Intervals = append(g.Intervals, trial.Interval{Low: low * median, High: median / low})
		}
		return g
	}
	for _, tt := range []struct {
		lows []float64
		want []string
		not  string
	}{
		{[]float64{0.99, 0.99}, []string{"random: within 2% of the best"}, "noise"},
		{[]float64{0.99, 0.8}, []string{"on 1 of 2 grids noise", "slower by 25.0%", "random: within 2% of the best"},
			"hides less"},
		{[]float64{0.8, 0.8}, []string{"on 2 of 2 grids noise", "random: within 25.0% of the best (noise hides less)"},
			"within 2%"},
	} {
		r := replayCommand{seeds: 2, output: command.Output{Format: "table"}}
		var grids []search.Grid
		for _, low := range tt.lows {
			grids = append(grids, grid(low))
		}
		var text strings.Builder
		testkit.Succeed(t, r.replay(t.Context(), grids, "random"))
		testkit.Succeed(t, r.print(&text))
		testkit.Says(t, "the verdict", text.String(), tt.want...)
		testkit.Check(t, !strings.Contains(text.String(), tt.not), "%v: has %q:\n%s", tt.lows, tt.not, &text)
	}
}

// The commands of docs/extending.md lead from nothing to a report that has the kernel.
func TestExtending(t *testing.T) {
	testkit.Long(t, "it measures a sweep")
	if _, err := exec.LookPath("gcc"); err != nil {
		t.Skip(err)
	}
	text := testkit.Must(os.ReadFile("../../docs/extending.md"))
	var script strings.Builder
	for line := range strings.Lines(string(text)) {
		if command, ok := strings.CutPrefix(line, "    spmvtune "); ok {
			script.WriteString("exec spmvtune " + command)
		}
	}
	if n := strings.Count(script.String(), "\n"); n != 3 {
		t.Fatalf("docs/extending.md has %d commands", n)
	}
	// On a busy machine any kernel may be the fastest, and others tied with it.
	script.WriteString("stdout rmat-13\ngrep 'mine.c' spmvtune-out/mine/report.html\n" +
		"exec spmvtune query --db spmvtune-out/mine/results.db 'select kernel from results where median_ms > 0'\nstdout mine\n")
	file := filepath.Join(t.TempDir(), "extending.txtar")
	testkit.Succeed(t, os.WriteFile(file, []byte(script.String()), 0o666))
	testscript.Run(t, testscript.Params{Files: []string{file}, Setup: func(env *testscript.Env) error {
		env.Setenv(cache.Env, filepath.Join(env.Cd, ".cache"))
		return nil
	}})
}
