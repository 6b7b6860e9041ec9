// SPDX-License-Identifier: Apache-2.0

package claims

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/trial"
)

// sizes are the times of a kernel over block and grid sizes, by the number of threads in
// quarters of a thousand.
func sizes(byBlock, byGrid func(threads float64) float64) string {
	var b strings.Builder
	for n := 1; n <= 16; n++ {
		fmt.Fprintf(&b, "s1,l1 coo_block_chunk %g block=%d grid=256\n", byBlock(float64(n)), 4*n)
		fmt.Fprintf(&b, "s1,l1 coo_block_chunk %g block=1024 grid=%d\n", byGrid(float64(n)), n)
	}
	return b.String()
}

func falling(n float64) float64 { return 1 + 10/n }
func rising(n float64) float64  { return 1 + n }

// verdicts are trials with which a claim holds, and with which it does not.
var verdicts = []struct {
	claim       int
	device      string
	holds, fail string
}{
	{1, cpu, "s* cpu_coo 2.5 \n s* cpu_csr 1", "s* cpu_coo 1 \n s* cpu_csr 2"},
	{1, cpu, "s* cpu_coo 2.5 \n s* cpu_csr 1", "s* cpu_coo 9 \n s* cpu_csr 1"}, // always faster, but by another factor
	{2, gpu, "s*,l* coo_thread_chunk 4 \n s*,l* coo_grid_stride 2 \n s*,l* coo_warp_chunk 1 \n s*,l* " +
		"coo_block_chunk 1.05",
		"s*,l* coo_thread_chunk 1 \n s*,l* coo_grid_stride 2 \n s*,l* coo_warp_chunk 1.5 \n s*,l* coo_block_chunk 1.5"},
	{3, gpu, sizes(falling, func(n float64) float64 { return 2 * falling(n) }), sizes(falling, rising)},
	{4, gpu, "s*,l* coo_block_chunk 1 \n s*,l* coo_thread_chunk 3 \n s*,l* coo_grid_stride 2 \n s*,l* " +
		"coo_warp_chunk 1.2 \n s* coo_atomic 1 \n l* coo_atomic 7",
		"s*,l* coo_block_chunk 1 \n s*,l* coo_thread_chunk 3 \n s*,l* coo_grid_stride 2 \n s*,l* coo_warp_chunk " +
			"1.2 \n s* coo_atomic 1 \n l* coo_atomic 3"},
	{5, gpu, "model7 cpu_csr 1 \n model7 coo_block_chunk 2 \n model7 coo_atomic 3", "model7 cpu_csr 1 \n model7 " +
		"coo_block_chunk 0.2 \n s1 coo_atomic 3"},
	{6, gpu, "s* coo_scan_shared 2 block=32 \n s* coo_scan_warp 1 block=32 \n s* coo_segscan_shared 2 block=1024 " +
		"\n s* coo_segscan_block 1 block=1024",
		"s* coo_scan_shared 2 block=32 \n s* coo_scan_warp 1 block=32 \n s* coo_segscan_shared 1 block=1024 \n s* " +
			"coo_segscan_block 2 block=1024"},
	{7, gpu, "s* coo_scan_shared 1 \n s* coo_blelloch 3 \n s* coo_blelloch_padded 2", "s* coo_scan_shared 1 \n s* " +
		"coo_blelloch 3 \n s* coo_blelloch_padded 0.5"},
	{8, gpu, "s* coo_segscan_warp_chunk 1 \n s* coo_segscan_block 2 block=1024 \n l* coo_segscan_warp_chunk 2 \n " +
		"l* coo_segscan_block 1 block=1024",
		"s* coo_segscan_warp_chunk 1 \n s* coo_segscan_block 2 block=1024 \n l* coo_segscan_warp_chunk 1 \n l* " +
			"coo_segscan_block 2 block=1024"},
	{9, gpu, "s* coo_segscan_warp_chunk 1 \n s* coo_segscan_warp_chunk_unroll 1.1 unroll=2",
		"s* coo_segscan_warp_chunk 1 \n s* coo_segscan_warp_chunk_unroll 0.7 unroll=2"},
	{10, gpu, five("s*", 1, 16, 4, 1, 2) + five("l*", 100, 4, 4, 100, 2),
		five("s*", 1, 16, 4, 1, 2) + five("l*", 0.5, 4, 4, 100, 2)},
	{11, gpu, "another csr_adaptive 15 long_row=warp \n another csr_adaptive 1 long_row=block",
		"another csr_adaptive 2 long_row=warp \n another csr_adaptive 1 long_row=block"},
	{12, gpu, inBoth(1.99, 1.2), inBoth(1.2, 1.99)},
	{12, gpu, inBoth(1.99, 1.2), inBoth(1.99, 2.5)}, // about half, but others lose more
	// our form is beside the claim
	{13, gpu, "s*,l* csr_warp_row_global 2 \n s*,l* csr_warp_row_shuffle 1 \n s*,l* " +
		"csr_warp_row_shuffle_ahead 3", "s*,l* csr_warp_row_global 2 \n s*,l1 " +
		"csr_warp_row_shuffle 1 \n l2 csr_warp_row_shuffle 3"},
	{14, gpu, "s*,l* csr_warp_row_shuffle 1 \n s* csr_warp_row_tile 2 \n l1,l2,l3 csr_warp_row_tile 2 \n l4 " +
		"csr_warp_row_tile 0.5",
		"s*,l* csr_warp_row_shuffle 1 \n s1 csr_warp_row_tile 0.5 \n l* csr_warp_row_tile 0.5"},
	// nowhere
	{14, gpu, "s*,l* csr_warp_row_shuffle 1 \n s* csr_warp_row_tile 2 \n l* csr_warp_row_tile 0.5",
		"s*,l* csr_warp_row_shuffle 1 \n s*,l* csr_warp_row_tile 2"},
	{15, gpu, onTwo(1, 1, 1), onTwo(1, 1, 3)},
	{16, gpu, "mawi_201512012345 csr_hybrid_v1 1.8 \n mawi_201512012345 csr_hybrid 1",
		"mawi_201512012345 csr_hybrid_v1 50 \n mawi_201512012345 csr_hybrid 1"},
	{17, gpu, "s* csr_warp_row 2 \n s* csr_bins 1 \n l* csr_warp_row 1 \n l* csr_bins 2",
		"s* csr_warp_row 1 \n s* csr_bins 2"},
	{18, gpu, "s*,l* csr_scalar 1 \n s* csr_vector 2 \n l* csr_vector 0.5", "s*,l* csr_scalar 2 \n s*,l* csr_vector 1"},
	{19, gpu, "s*,l* csr_warp_row 1 shared=0 \n s*,l* csr_warp_row 2 shared=1 \n l* csr_hybrid 2 shared=0 \n l* " +
		"csr_hybrid 1 shared=1",
		"s*,l* csr_warp_row 1 shared=0 \n s*,l* csr_warp_row 2 shared=1 \n l* csr_hybrid 1 shared=0 \n l* " +
			"csr_hybrid 2 shared=1"},
}

// five are the times of the five algorithms.
func five(where string, scalar, vector, adaptive, pcsr, light float64) string {
	return fmt.Sprintf("%[1]s csr_scalar %[2]g \n %[1]s csr_vector %[3]g \n %[1]s csr_adaptive %[4]g \n %[1]s "+
		"csr_pcsr %[5]g \n %[1]s csr_light %[6]g \n",
		where, scalar, vector, adaptive, pcsr, light)
}

// inBoth are two kernels in both precisions.
func inBoth(pcsr, scalar float64) string {
	return fmt.Sprintf("s*,l* csr_pcsr 1 \n s*,l* csr_scalar 1 \n s*,l* csr_pcsr %g float64 \n s*,l* csr_scalar %g "+
		"float64", pcsr, scalar)
}

// onTwo are kernels beside a library that takes 2.
func onTwo(thread, warp, hybrid float64) string {
	return fmt.Sprintf("ecology1,crankseg_1 cusparse_csr_alg1 2 \n ecology1,crankseg_1 cusparse_csr_alg2 4 \n"+
		"ecology1 csr_thread_row %g \n crankseg_1 csr_warp_row %g \n ecology1,crankseg_1 csr_hybrid %g", thread, warp,
		hybrid)
}

// TestVerdicts: each claim holds with some trials and does not with others; with none at
// all, with those of a single matrix where it takes more, and with intervals that reach
// everywhere, it is left open.
func TestVerdicts(t *testing.T) {
	met := map[int]bool{}
	for _, v := range verdicts {
		met[v.claim] = true
		t.Run(fmt.Sprint(v.claim), func(t *testing.T) {
			for _, tt := range []struct {
				trials string
				spread float64
				want   Verdict
			}{{v.holds, 1.001, Holds}, {v.fail, 1.001, Fails}, {v.holds, 20, Unknown}} {
				if v.claim == 3 && tt.spread > 2 {
					continue // the shape of a line has no interval
				}
				j := judged(t, tt.trials, tt.spread, v.claim, v.device)
				if j.Verdict != tt.want {
					t.Errorf("%q, want %q, of (spread %g)\n%s", j.Verdict, tt.want, tt.spread, tt.trials)
					for _, f := range j.Parts {
						t.Logf("%s: %s, %s", f.Says, f.Verdict, f.Words())
					}
				}
			}
		})
	}
	for _, j := range judgements(t, database(t, "s1 cpu_sell 1 \n s1 csr_merge 1", 1.001), All()...) {
		testkit.Equal(t, j.Verdict, Unknown, "claim %d on %s, of nothing that tells", j.Number, j.Device)
	}
	for _, c := range All() {
		if !met[c.Number] && c.Number != 20 { // TestLearnedSelection

			t.Errorf("claim %d is not tested", c.Number)
		}
	}
}

// judged is the judgement of a claim on a device.
func judged(t *testing.T, trials string, spread float64, claim int, device string) Judgement {
	t.Helper()
	list := judgements(t, database(t, trials, spread), All()[claim-1])
	for _, j := range list {
		if j.Number == claim && j.Device == device {
			return j
		}
	}
	t.Fatalf("no claim %d for %s among %d judgements", claim, device, len(list))
	return Judgement{}
}

// A claim is not decided by less than repetitions differ: where trials that were repeated take
// three times as long, or a third, 2.5 times as fast is open, whatever the samples of a run say.
func TestClaimsGoByWhatAnotherRunFinds(t *testing.T) {
	db := database(t, "s* cpu_coo 2.5 \n s* cpu_csr 1 \n s*,l* cpu_sell 1", 1.001)
	for i, name := range []string{"s1", "s2", "s3", "s4", "l1", "l2", "l3", "l4"} {
		ms := []string{"3", "0.333"}[i%2]
		r := oneTrial(t, matrices[name], []string{"cpu_sell", ms}, 1.001)
		r.NoiseRerun, r.At = true, r.At.Add(time.Hour)
		testkit.Succeed(t, db.Record(t.Context(), r))
	}
	for _, want := range []Verdict{Holds, Unknown} {
		for _, j := range judgements(t, db, All()[0]) {
			if j.Device == cpu && j.Parts[0].Verdict != want {
				t.Errorf("CSR is faster: %s, want %s: %s", j.Parts[0].Verdict, want, j.Parts[0].Words())
			}
		}
		testkit.Must(db.DecideTies(t.Context())) // which finds out from repeats
	}
}

// The claim about the learned rule takes a rule: its cases are matrices left out, of which
// the features take 1 ms for each million of nonzeros.
func TestLearnedSelection(t *testing.T) {
	const best = "s*,l* csr_vector 1"
	for _, tt := range []struct {
		name    string
		single  float64 // share of the oracle's speed; of the rule it is 1
		slow    bool    // large matrices take more time for each nonzero
		prepare float64 // seconds for the rule's choice
		spread  float64
		want    Verdict
	}{
		{"saves half of each product", 0.5, false, 0, 1.001, Holds},
		{"saves a millionth", 0.999999, false, 0, 1.001, Fails},
		{"loses", 1.5, false, 0, 1.001, Fails},
		{"reading features is not linear", 0.5, true, 0, 1.001, Fails},
		{"saves less than it prepares", 0.5, false, 1.1, 1.001, Fails},
		{"saves more than it prepares", 0.5, false, 0.9, 1.001, Holds},
		{"saves less than times may be off", 0.9, false, 0, 1.1, Unknown},
	} {
		t.Run(tt.name, func(t *testing.T) {
			db := database(t, best, tt.spread)
			if tt.slow {
				for _, m := range matrices {
					if m.Features.Nonzeros > 4_000_000 {
						m.FeaturesSeconds *= 10
						testkit.Succeed(t, db.Matrix(t.Context(), m))
					}
				}
			}
			s := rule.Model{Key: rule.Key{Device: gpu, Precision: kernels.Float32, Cache: "cold"}}
			for _, m := range []string{"s1", "s2", "l1", "l2"} {
				s.Validation.Cases = append(s.Validation.Cases,
					rule.Case{Matrix: m, Fraction: 1, SingleConfig: tt.single, Prepare: tt.prepare})
			}
			text := testkit.Must(json.Marshal(rule.Rule{Models: []rule.Model{s}}))
			testkit.Succeed(t, db.SaveRule(t.Context(), store.SavedRule{Sweep: "test", JSON: text}))
			j := judgements(t, db, All()[19])[0]
			testkit.Check(t, j.Number == 20 && j.Verdict == tt.want, "%s of claim %d, want %s: %+v", j.Verdict, j.Number, tt.want, j.Parts)
		})
	}
	testkit.Equal(t, judged(t, best, 1.001, 20, gpu).Verdict, Unknown, "without a rule")
}

// matrices of the databases: s1 to s4 have short rows, l1 to l4 long ones, and the others
// are what claims name.
var matrices = func() map[string]trial.Matrix {
	all := map[string]trial.Matrix{}
	// Reading features takes 1 ns for each nonzero.
	add := func(name string, rowMean float64, longest int, neighbours float64) {
		n := 1_000_000 * (1 + len(all))
		all[name] = trial.Matrix{Name: name, Hash: "hash of " + name, Class: name, Source: name,
			FeaturesSeconds: 1e-9 * float64(n), Field: "real", Symmetry: "general",
			Features: sparse.Features{Rows: int(float64(n) / rowMean), Cols: 1000, Nonzeros: n, RowMean: rowMean,
				RowMax: longest, NeighbourRate: neighbours}}
	}
	for i := range 4 {
		add(fmt.Sprintf("s%d", i+1), 5, 10, 0.2)
		add(fmt.Sprintf("l%d", i+1), 200, 1000, 1.5)
	}
	add("model7", 15, 253, 0.5)
	add("ecology1", 5, 5, 0.4)
	add("crankseg_1", 201, 297, 1.6)
	add("mawi_201512012345", 2, 16_000_000, 0.9)
	add("rail4284", 2634, 56_000, 1.5)
	twin := all["rail4284"]
	twin.Name, twin.Hash, twin.Source = "another", "hash of another", "twin of Mittelmann/rail4284: "+
		"twin(of=rail4284, scale=0.5, seed=1)"
	twin.TwinOf, twin.TwinScale = "rail4284", 0.5
	all[twin.Name] = twin
	return all
}()

const (
	cpu = "Testcore 9000"
	gpu = "Testcard 1"
)

// database records trials, a line each: matrices, separated by commas (s* and l* stand for
// all of them), kernel, time in milliseconds, and as needed the block size, the grid size,
// parameters and "float64". The interval of a time is from time/spread to time*spread.
func database(t *testing.T, lines string, spread float64) *store.DB {
	t.Helper()
	db := testkit.Must(store.Open(filepath.Join(t.TempDir(), "results.db")))
	t.Cleanup(func() { db.Close() })
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	sources := map[string]string{}
	for _, name := range kernels.Names() {
		sources[name] = "1"
	}
	begin := func(backend, device string) {
		must(db.Begin(t.Context(), tuner.RunInfo{
			Sweep:  &configs.Sweep{Name: "test", Text: []byte("title = \"test\"\n")},
			Device: kernels.Device{Backend: backend, Name: device, Driver: "1"}, Sources: sources, Protocol: "p",
			Version: "test",
		}))
	}
	for _, device := range []string{cpu, gpu} {
		begun := false
		for line := range strings.Lines(lines) {
			f := strings.Fields(line)
			if len(f) == 0 || strings.HasPrefix(f[1], "cpu_") != (device == cpu) {
				continue
			}
			if !begun {
				begin(map[string]string{cpu: "cpu", gpu: "cuda"}[device], device)
				begun = true
			}
			for name := range strings.SplitSeq(strings.NewReplacer("s*", "s1,s2,s3,s4", "l*",
				"l1,l2,l3,l4").Replace(f[0]), ",") {
				m, ok := matrices[name]
				testkit.Require(t, ok, "no matrix %q", name)
				must(db.Matrix(t.Context(), m))
				must(db.Record(t.Context(), oneTrial(t, m, f[1:], spread)))
			}
		}
	}
	return db
}

// trial reads a line from the kernel on.
func oneTrial(t *testing.T, m trial.Matrix, f []string, spread float64) trial.Result {
	t.Helper()
	c := kernels.Config{Kernel: f[0], Precision: kernels.Float32}
	ms := testkit.Must(strconv.ParseFloat(f[1], 64))
	for _, word := range f[2:] {
		name, value, _ := strings.Cut(word, "=")
		switch n, _ := strconv.Atoi(value); name {
		case "float64":
			c.Precision = kernels.Float64
		case "block":
			c.Block = n
		case "grid":
			c.Grid = n
		default:
			c.Params = c.Params.With(name, value)
		}
	}
	id := fmt.Sprint(m.Hash, c, c.Params)
	return trial.Result{Trial: trial.Trial{ID: id, Matrix: m.Hash, Config: c, Cache: trial.Cold}, Status: trial.OK,
		Median: ms / 1e3, WithinLow: ms / 1e3 / spread, WithinHigh: ms / 1e3 * spread, Samples: []float64{ms / 1e3}, Batch: 1,
		Stop:     trial.StopTarget,
		BytesMin: 1000, At: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)}
}

// judgements gives the verdicts on the claims.
func judgements(t *testing.T, db *store.DB, of ...Claim) []Judgement {
	t.Helper()
	matrices := testkit.Must(db.Features(t.Context()))
	return testkit.Must(judge(t.Context(), db, matrices, of))
}
