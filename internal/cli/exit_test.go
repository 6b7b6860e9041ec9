// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/cache"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
)

// Failed trials end a run with code 3, whether this run or an earlier one tried
// them, and the hint names the folder that they are in.
func TestFailures(t *testing.T) {
	again := []string{"spmvtune", "run", "my.toml", "--out", "here"}
	fine := map[trial.Status]int{trial.OK: 1}
	failed := make([]trial.Result, 2)
	failed[0].Kernel, failed[1].Kernel = "cpu_csr", "cpu_csr"
	for name, sum := range map[string]tuner.Summary{
		"now":    {Measured: fine, Failed: failed},
		"before": {OKBefore: 1, FailedBefore: 2},
		"both":   {Measured: fine, Failed: failed[:1], FailedBefore: 1},
	} {
		var out strings.Builder
		testkit.Equal(t, command.Finish(&out, verdict(sum, again)), command.ExitSomeFailed, "%s: exit code", name)
		want := "error: 2 trials failed\nhint: `spmvtune run --retry-failed my.toml --out here` measures them again\n"
		testkit.Equal(t, out.String(), want, "%s", name)
	}
	fine[trial.Invalid] = 3
	unrepeated := []tuner.Failure{{Matrix: "a", Err: errors.New("gone"), Measured: true}}
	testkit.Equal(t, verdict(tuner.Summary{Measured: fine, Failures: unrepeated}, again), nil, "no trial failed")
	// A sweep that has nothing to show for itself has not succeeded.
	for name, sum := range map[string]tuner.Summary{
		"invalid":    {Measured: map[trial.Status]int{trial.Invalid: 3}},
		"no matrix":  {Failures: []tuner.Failure{{Matrix: "a", Err: errors.New("gone")}}},
		"all failed": {FailedBefore: 1},
	} {
		var out strings.Builder
		code := command.Finish(&out, verdict(sum, again))
		testkit.Check(t, code == command.ExitSomeFailed && strings.HasPrefix(out.String(), "error: no trial succeeded"),
			"%s: exit code %d, %s", name, code, out.String())
	}
	leftOut := tuner.Summary{Skipped: map[string]int{"where = false": 3}}
	testkit.Fails(t, verdict(leftOut, again), "no configuration is left to measure (skipped: where = false)")
}

// Whatever a signal broke off, the exit code says that the user stopped it.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	broken := fmt.Errorf("making the report: %w", context.Canceled)
	testkit.Equal(t, command.Finish(&strings.Builder{}, command.Interrupted(ctx, broken)), command.ExitFailed,
		"without a signal: exit code")
	cancel()
	testkit.Equal(t, command.Finish(&strings.Builder{}, command.Interrupted(ctx, broken)), command.ExitInterrupted,
		"after a signal: exit code")
	mistake := command.Usage(errors.New("no such flag"))
	testkit.Equal(t, command.Finish(&strings.Builder{}, command.Interrupted(ctx, mistake)), command.ExitUsage, "a mistake has exit code")
	testkit.Equal(t, command.Interrupted(ctx, nil), nil, "what was done in time")
}

// A command that goes on after a signal is ended.
func TestEndAfter(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan int)
	go endAfter(ctx, func() {}, time.Millisecond, func(code int) { ended <- code })
	cancel()
	testkit.Equal(t, <-ended, command.ExitInterrupted, "exit code")
}

// A mistake in the program is a line that has the command to report it by.
func TestMistake(t *testing.T) {
	t.Setenv("GOTRACEBACK", "")
	err := panics.Caught(func() error { panic("oh\nno") })()
	var out strings.Builder
	code := command.Finish(&out, command.Reported(err, []string{"report", "a b.db"}))
	testkit.Check(t, code == command.ExitFailed && strings.Count(out.String(), "\n") == 1 &&
		strings.Contains(out.String(), "spmvtune report 'a b.db': oh (internal/cli.TestMistake"),
		"exit code %d, %s", code, out.String())
}

// Flags that exclude each other are a wrong command line, on whichever command.
func TestExclusiveFlags(t *testing.T) {
	for _, line := range []string{
		"run quickstart --quiet --verbose", "run quickstart --quiet --watch", "best --json --format csv",
		"claims --verbose --json", "kernels new mine --cuda --c", "profile --import counts.txt --print",
		"submit s.toml --wait --dry-run", "task r --next --chunk 7", "learn --rule h100 --without coo",
		"learn --evaluate-on a.db --evaluate", "learn --evaluate-on a.db --out r.json",
	} {
		root := New()
		root.SetArgs(strings.Fields(line))
		var out strings.Builder
		code := command.Finish(&out, root.ExecuteContext(t.Context()))
		testkit.Check(t, code == command.ExitUsage && strings.Contains(out.String(), "none of the others can be"),
			"%s: exit code %d, %s", line, code, out.String())
	}
}

// Where a flag takes one of some words, another one is a wrong command line before anything is read.
func TestWrongWords(t *testing.T) {
	for _, line := range [][]string{
		{"export", "no.db", "--precision", "float16"}, {"export", "no.db", "--format", "tsv"},
		{"import", "no.csv", "--cache", "unknown"}, {"select", "no.mtx", "--precision", "double"},
		{"compare", "no.db", "--config", "fastest"}, {"compare", "no.db", "--config", ""},
	} {
		root := New()
		root.SetArgs(line)
		var out strings.Builder
		code := command.Finish(&out, root.ExecuteContext(t.Context()))
		testkit.Check(t, code == command.ExitUsage && strings.HasPrefix(out.String(), "error: unknown "),
			"%s: exit code %d, %s", line, code, out.String())
	}
}

// Every command that prints what it has found has the same flags for its format. The help takes what stands in
// backquotes for the name of a flag's value: a command there mangles it.
func TestFlags(t *testing.T) {
	others := []string{ // print a file, nothing, or what another program reads
		"export", "import", "profile", "help", "kernels new", "task", "matrix convert", "matrix spy", "matrix cache prune",
		"matrix cache verify",
		"serve",
	}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		name := strings.TrimPrefix(c.CommandPath(), "spmvtune ")
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if value, _ := pflag.UnquoteUsage(f); strings.Contains(value, " ") {
				t.Errorf("%s has the flag --%s %s", name, f.Name, value)
			}
		})
		printing := c.Runnable() && !c.Hidden && !c.HasSubCommands() && !strings.HasPrefix(name, "completion ") ||
			c.Flags().Lookup("json") != nil
		if printing && !slices.Contains(others, name) && (c.Flags().Lookup("format") == nil || c.Flags().Lookup("json") == nil) {
			t.Errorf("%s has no --format or --json", name)
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(New())
}

// The help has every variable that the code reads, and no others of this program.
func TestEnvironmentIsExplained(t *testing.T) {
	internal := []string{ // of tests, and between processes of this program
		"SPMVTUNE_LONG", "SPMVTUNE_SCREENS", "SPMVTUNE_TEST_GPUS", "SPMVTUNE_PERF_CONTROL", "SPMVTUNE_GPU_WORKER",
		"PATH", "GOFLAGS", "SOURCE_DATE_EPOCH", // of tools
	}
	explained := regexp.MustCompile(`(?m)^[A-Z][A-Z_]+\*?(, [A-Z_]+)?$`).FindAllString(environment, -1)
	explained = strings.Split(strings.Join(explained, ", "), ", ")
	known := func(name string) bool {
		for _, e := range append(explained, internal...) {
			if prefix, all := strings.CutSuffix(e, "*"); name == e || all && strings.HasPrefix(name, prefix) {
				return true
			}
		}
		return false
	}

	ours, read := regexp.MustCompile(`"(SPMVTUNE_[A-Z_]+)"`), regexp.MustCompile(`(?:Getenv|LookupEnv)\("([A-Z_]+)"\)`)
	found := map[string]bool{}
	testkit.Succeed(t, filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, names := range append(ours.FindAllStringSubmatch(string(text), -1),
			read.FindAllStringSubmatch(string(text), -1)...) {
			if found[names[1]] = true; !known(names[1]) {
				t.Errorf("%s reads %s, which help environment does not explain", path, names[1])
			}
		}
		return err
	}))
	for _, name := range explained {
		testkit.Check(t, !strings.HasPrefix(name, "SPMVTUNE_") || found[name], "help environment explains %s, which nothing reads", name)
	}
}

func TestSensorsText(t *testing.T) {
	for _, tt := range []struct {
		reading kernels.Reading
		want    string
	}{
		{kernels.Reading{SMClock: 1980, MemoryClock: 2619, Temperature: 34, Power: 71.5, HasReasons: true},
			"driver 535.161.08, SM 1980 MHz, memory 2619 MHz, 34 °C, 72 W"},
		{kernels.Reading{Temperature: 90, Reasons: kernels.HWSlowdown | kernels.HWThermalSlowdown, HasReasons: true},
			"driver 535.161.08, 90 °C, clocks held down by hw_slowdown hw_thermal_slowdown"},
		{kernels.Reading{}, "driver 535.161.08"},
	} {
		testkit.Equal(t, sensorsText(tt.reading, "535.161.08"), tt.want, "%+v", tt.reading)
	}
}

// A sweep is not called measured while repeat runs are missing.
func TestPlanSaysWhichRepeatRunsAreMissing(t *testing.T) {
	p := planned{Trials: 4, Finished: 4}
	testkit.Equal(t, p.sum(), "4 trials, all measured already", "with nothing missing")
	for n, want := range map[int]string{1: "at least 1 repeat run is missing", 3: "at least 3 repeat runs are missing"} {
		p.Repeats = n
		got := p.sum()
		testkit.Check(t, strings.Contains(got, want), "with %d missing: %q", n, got)
	}
}

// What run measures without the GPU is what is left of the other trials.
func TestPlanCountsWhatIsLeftWithoutGPU(t *testing.T) {
	p := planned{Trials: 10, Finished: 5, Absent: 6, absentFinished: 2}
	got := p.sum()
	testkit.Check(t, strings.HasSuffix(got, "\n6 of them are for the GPU, which is not here: here, run leaves them out "+"and measures 1"),
		"%q", got)
	p = planned{Trials: 5, Absent: 1}
	got = p.sum()
	testkit.Check(t, strings.HasSuffix(got, "\n1 of them is for the GPU, which is not here: here, run leaves it out "+"and measures 4"),
		"%q", got)
	p.Finished, p.absentFinished = 5, 1
	testkit.Equal(t, p.sum(), "5 trials, all measured already", "the sum")
}

// A changed protocol is said in the words of the sweep file.
func TestProtocolChange(t *testing.T) {
	old := configs.DefaultProtocol
	for want, change := range map[string]func(p *configs.Protocol){
		"":                                    func(p *configs.Protocol) { p.Sentinel, p.Finals = 1, 1 },
		"trial_budget changed from 2s to 9ms": func(p *configs.Protocol) { p.Budget = 9 * time.Millisecond },
		"warmup changed from 3 to 4, samples changed from [10 200] to [10 9], slow changed from 3 to 0": func(p *configs.Protocol) {
			p.Warmup, p.Samples[1], p.Slow = 4, 9, 0
		},
	} {
		now := old
		change(&now)
		testkit.Equal(t, protocolChange(old, now), want, "%+v", now)
	}
}

// Where nobody reads the output, as of a pipe to head, nothing is said, and the copy that is read
// where ties are not decided goes away.
func TestUnread(t *testing.T) {
	t.Chdir(t.TempDir())
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	t.Setenv(cache.Env, "off")
	const sweep = `
		protocol = { cache = "warm", samples = [6, 6], trial_budget = "5ms", finals = 0, repeats = 0 }
		device = { backend = "cpu" }
		matrix = [{ name = "grid", generate = "grid_5pt", nx = 4, ny = 4 }]
		kernel = [{ name = ["cpu_csr", "cpu_coo"] }]
	`
	testkit.Succeed(t, os.WriteFile("tiny.toml", []byte(sweep), 0o666))
	if out, err := exec.Command("spmvtune", "run", "tiny.toml", "--no-report", "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	file := filepath.Join("spmvtune-out", "tiny", "results.db")
	db := testkit.Must(sql.Open("sqlite3", file))
	testkit.Must(db.Exec("DELETE FROM tie_set"))
	db.Close()

	read, write, err := os.Pipe()
	testkit.Succeed(t, err)
	read.Close()
	defer write.Close()
	query := exec.Command("spmvtune", "query", "tiny", "results")
	query.Stdout = write
	complaint := &bytes.Buffer{}
	query.Stderr = complaint
	if err := query.Run(); query.ProcessState.ExitCode() != 141 || complaint.Len() > 0 {
		t.Errorf("%v, which says %q", err, complaint)
	}
	left, _ := filepath.Glob(filepath.Join(temporary, "*"))
	testkit.Check(t, len(left) == 0, "%q is left", left)
}

// Another program that does not read what it is given, as sbatch when it refuses, ends nothing.
func TestUnreadByAnother(t *testing.T) {
	ctx, leave := whileRead()
	defer leave()
	r, w, err := os.Pipe()
	testkit.Succeed(t, err)
	defer w.Close()
	r.Close()
	if _, err := w.Write([]byte("a script")); !errors.Is(err, syscall.EPIPE) {
		t.Fatalf("writing gave %v", err)
	}
	testkit.Check(t, unread(w), "a pipe that nobody reads is not called so")
	time.Sleep(50 * time.Millisecond) // for the signal
	testkit.Equal(t, ctx.Err(), nil, "the command ends: %v", context.Cause(ctx))
}
