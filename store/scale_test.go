// SPDX-License-Identifier: Apache-2.0

package store

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
)

// trialsEnv sets how many trials the benchmarks' database has, and fileEnv where it is
// made and left, to try commands on.
const (
	trialsEnv = "SPMVTUNE_BENCH_TRIALS"
	fileEnv   = "SPMVTUNE_BENCH_DB"
)

// populate records about n trials: matrices × 2 precisions × 5 kernels × 32
// blocks × 8 grids, each with ten samples and all that a GPU says.
func populate(tb testing.TB, db *DB, n int) {
	tb.Helper()
	begin(tb, db, testRun())
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 2))
	names := []string{"cpu_coo", "cpu_csr", "cpu_csr_rows", "cpu_sell", "coo_atomic"}
	trials := 0
	for m := 0; trials < n; m++ {
		matrix := "m" + strconv.Itoa(m)
		describe(tb, db, testMatrix(matrix))
		run, k := db.rec.known("")
		testkit.Succeed(tb, db.record(ctx, "populating", k, func(w *writer) error {
			if err := w.look(ctx, nil); err != nil {
				return err
			}
			for i := range 2 * 5 * 32 * 8 {
				prec := []kernels.Precision{kernels.Float32, kernels.Float64}[i%2]
				r := good(names[i/2%5], 32*(1+i/10%32), on(matrix), identity(""), func(r *trial.Result) {
					r.Precision, r.Grid = prec, 1<<(i/320)
					sum := sha256.Sum256(fmt.Append(nil, matrix, r.Config))
					r.ID = hex.EncodeToString(sum[:16])
					r.Properties = map[string]float64{"registers": 32, "occupancy": 0.75, "shared_bytes": 4096, "local_bytes": 0}
					r.Median = 1e-3 * (1 + math.Abs(float64(r.Block)-512)/512 + 0.01*rng.NormFloat64()) * (1 + 0.1*float64(i/2%5))
					r.WithinLow, r.WithinHigh = 0.99*r.Median, 1.01*r.Median
					r.Telemetry = &trial.Telemetry{SMClock: 1755, MemoryClock: 2619, Temperature: 60,
						Power: 650.5, Energy: 0.123,
						Reasons: kernels.SWPowerCap, HasReasons: true}
					r.Samples = make([]float64, 10)
					for j := range r.Samples {
						r.Samples[j] = r.Median * (1 + 0.005*rng.NormFloat64())
					}
				})
				if err := w.put(ctx, run, &r); err != nil {
					return err
				}
				trials++
			}
			return nil
		}))
	}
}

func TestBytesPerTrial(t *testing.T) {
	db := create(t)
	populate(t, db, 5_000)
	perTrial := one(t, db, `SELECT ((SELECT page_count FROM pragma_page_count) * (SELECT page_size FROM pragma_page_size)
		- (SELECT sum(length(data)) FROM sample)) / (SELECT count(*) FROM trial)`).(int64)
	testkit.Check(t, perTrial < 500, "%d bytes per trial besides raw samples, want fewer than 500", perTrial)
	t.Log(perTrial, "bytes per trial besides raw samples")
}

// benchmarked opens the benchmarks' database.
func benchmarked(b *testing.B) *DB {
	path := os.Getenv(fileEnv)
	if path == "" {
		return create(b)
	}
	db := testkit.Must(Open(path))
	b.Cleanup(func() { db.Close() })
	return db
}

// BenchmarkViews decides ties and reads the views in a database of 100,000 trials, or as many
// as SPMVTUNE_BENCH_TRIALS says, and records into it.
func BenchmarkViews(b *testing.B) {
	n := 100_000
	if s := os.Getenv(trialsEnv); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			b.Fatal(err)
		}
	}
	db := benchmarked(b)
	if trials := int(one(b, db, "SELECT count(*) FROM trial").(int64)); trials == 0 {
		populate(b, db, n)
	} else {
		begin(b, db, testRun())
		describe(b, db, testMatrix("m0"))
	}
	b.Run("DecideTies", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			testkit.Must(db.write.Exec("DELETE FROM tie_set"))
			b.StartTimer()
			decideAll(b, db)
		}
		b.ReportMetric(float64(one(b, db, "SELECT count(*) FROM tie_member").(int64)), "members")
	})
	for _, q := range []string{
		"best",
		"SELECT count(*) FROM speedup",
		"SELECT * FROM best WHERE matrix = 'm7'",
		"SELECT * FROM results WHERE matrix = 'm7'",
		"SELECT * FROM results WHERE matrix = 'm7' AND kernel = 'cpu_csr' AND grid = 4",
		"SELECT status, count(*) FROM results GROUP BY status",
		"SELECT avg(gflops) FROM results",
	} {
		b.Run(q, func(b *testing.B) {
			for b.Loop() {
				query(b, db, q)
			}
		})
	}
	b.Run("Record", func(b *testing.B) {
		i := 0
		for b.Loop() {
			i++
			record(b, db, good("cpu_csr", 2000+i, on("m0")))
		}
	})
}
