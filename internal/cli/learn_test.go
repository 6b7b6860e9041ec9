package cli

import (
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"spmvtune/analysis"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/testing/testkit"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

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
		seen, _, err := observedIn(cmd, []string{tt.run}, "")
		if more := len(seen) > 10_000; err != nil || more != tt.more || !more && len(seen) != 1 {
			t.Errorf("%s on %s: %d observations, %v", tt.run, tt.device, len(seen), err)
		}
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
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Gather(t.Context(), filepath.Join(t.TempDir(), analysis.DatabaseFile), paths, store.Choice{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows := testkit.Must(db.Results(t.Context(), store.Filter{}))
	if len(seen) != 1 || len(rows) != 1 || seen[0].Seconds != rows[0].Median || seen[0].Seconds != 3e-3 {
		t.Errorf("learned from %+v, reported on %+v; want the later trial of 3 ms", seen, rows)
	}
}
