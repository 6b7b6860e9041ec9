package status

import (
	"context"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"

	"spmvtune/internal/testing/slurmtest"
	"spmvtune/slurm"
)

// trialsEnv sets how many trials the benchmark merges.
const trialsEnv = "SPMVTUNE_BENCH_TRIALS"

// BenchmarkMerge merges the journals of 100,000 trials, or as many as
// SPMVTUNE_BENCH_TRIALS says, into an empty database and then again.
func BenchmarkMerge(b *testing.B) {
	trials := 100_000
	if s := os.Getenv(trialsEnv); s != "" {
		var err error
		if trials, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	run := slurmtest.NewRun(b, trials/slurmtest.PerJournal)
	for i := range trials / slurmtest.PerJournal {
		slurmtest.Generate(b, run, i)
	}
	for _, name := range []string{"new", "known"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if name == "new" {
					removeDatabase(b, run)
				}
				m, err := mergeOnly(context.Background(), run)
				if err != nil {
					b.Fatal(err)
				}
				if got := max(m.New, m.Known); got != trials/slurmtest.PerJournal*slurmtest.PerJournal || m.New > 0 && m.Known > 0 {
					b.Fatalf("%d new and %d known trials", m.New, m.Known)
				}
			}
			var use unix.Rusage
			if err := unix.Getrusage(unix.RUSAGE_SELF, &use); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(use.Maxrss)/1024, "peak-MB")
			b.ReportMetric(float64(trials)*float64(b.N)/b.Elapsed().Seconds(), "trials/s")
		})
	}
}

func removeDatabase(tb testing.TB, run *slurm.Run) {
	tb.Helper()
	files, err := filepath.Glob(run.Path(slurm.DatabaseFile + "*"))
	if err != nil {
		tb.Fatal(err)
	}
	for _, f := range files {
		if err := os.Remove(f); err != nil {
			tb.Fatal(err)
		}
	}
}
