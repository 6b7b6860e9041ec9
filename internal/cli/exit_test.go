package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"spmvtune/internal/base/panics"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/testing/testkit"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
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
		testkit.Equal(t, command.Finish(&out, verdict(sum, again)), command.ExitSomeFailed,
			"%s: exit code", name)
		want := "error: 2 trials failed\nhint: `spmvtune run --retry-failed my.toml --out here` measures them again\n"
		testkit.Equal(t, out.String(), want, "%s", name)
	}
	fine[trial.Invalid] = 3
	unrepeated := []tuner.Failure{{Matrix: "a", Err: errors.New("gone"), Measured: true}}
	if err := verdict(tuner.Summary{Measured: fine, Failures: unrepeated}, again); err != nil {
		t.Errorf("no trial failed: %v", err)
	}
	// A sweep that has nothing to show for itself has not succeeded.
	for name, sum := range map[string]tuner.Summary{
		"invalid":    {Measured: map[trial.Status]int{trial.Invalid: 3}},
		"no matrix":  {Failures: []tuner.Failure{{Matrix: "a", Err: errors.New("gone")}}},
		"all failed": {FailedBefore: 1},
	} {
		var out strings.Builder
		if code := command.Finish(&out, verdict(sum, again)); code != command.ExitSomeFailed ||
			!strings.HasPrefix(out.String(), "error: no trial succeeded") {
			t.Errorf("%s: exit code %d, %s", name, code, out.String())
		}
	}
	leftOut := tuner.Summary{Skipped: map[string]int{"where = false": 3}}
	if err := verdict(leftOut, again); err == nil ||
		err.Error() != "no configuration is left to measure (skipped: where = false)" {
		t.Errorf("of a sweep whose constraints leave nothing it says %v", err)
	}
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
	if code := command.Finish(&strings.Builder{}, command.Interrupted(ctx, mistake)); code != command.ExitUsage {
		t.Errorf("a mistake has exit code %d after a signal", code)
	}
	if err := command.Interrupted(ctx, nil); err != nil {
		t.Errorf("what was done in time: %v", err)
	}
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
	if code != command.ExitFailed || strings.Count(out.String(), "\n") != 1 ||
		!strings.Contains(out.String(), "spmvtune report 'a b.db': oh (internal/cli.TestMistake") {
		t.Errorf("exit code %d, %s", code, out.String())
	}
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
		if code := command.Finish(&out, root.ExecuteContext(t.Context())); code != command.ExitUsage ||
			!strings.Contains(out.String(), "none of the others can be") {
			t.Errorf("%s: exit code %d, %s", line, code, out.String())
		}
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
		if code := command.Finish(&out, root.ExecuteContext(t.Context())); code != command.ExitUsage ||
			!strings.HasPrefix(out.String(), "error: unknown ") {
			t.Errorf("%s: exit code %d, %s", line, code, out.String())
		}
	}
}
