package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"spmvtune/analysis"
	"spmvtune/configs"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

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
	for _, err := range []error{db.Begin(t.Context(), run), db.Matrix(t.Context(), trial.Matrix{Name: "m", Hash: "1"}),
		db.Record(t.Context(), r)} {
		if err != nil {
			t.Fatal(err)
		}
	}
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
	if line, _, _ := strings.Cut(out.String(), "\n\n"); !strings.HasSuffix(strings.TrimSpace(line), "–") {
		t.Errorf("got\n%s", out.String())
	}
}
