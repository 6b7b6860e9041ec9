package foreign

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"spmvtune/kernels"
	"spmvtune/sparse"
	"spmvtune/store"
)

const (
	columns   = `"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"` + "\n"
	occupancy = "sm__warps_active.avg.pct_of_peak_sustained_active"
	threads   = "smsp__thread_inst_executed_per_inst_executed.ratio"
	dynamic   = "launch__shared_mem_per_block_dynamic"
	static    = "launch__shared_mem_per_block_static"
)

// counted is a row of what ncu writes.
func counted(id int, kernel, block, grid, name, unit, value string) string {
	return fmt.Sprintf("\"%d\",\"7\",\"p\",\"h\",\"%s\",\"1\",\"13\",\"%s\",\"%s\",\"0\",\"9.0\",\"Command line profiler metrics\",\"%s\",\"%s\",\"%s\"\n",
		id, kernel, block, grid, name, unit, value)
}

func readProfile(text string) ([]Launch, error) {
	return ReadProfile(File{"ncu.csv", strings.NewReader(text)})
}

func TestReadProfile(t *testing.T) {
	const block, grid = "(64, 2, 1)", "(1056, 1, 1)"
	list, err := readProfile("the program's own line\n==PROF== Connected\n" + columns +
		counted(0, "k_f32", block, grid, occupancy, "%", "43.75") +
		counted(0, "k_f32", block, grid, "sm__cycles.avg", "cycle", "anything") +
		"==PROF== in between\n" +
		counted(0, "k_f32", block, grid, threads, "", "8") +
		counted(0, "k_f32", block, grid, static, "byte/block", "16") +
		counted(0, "k_f32", block, grid, dynamic, "byte/block", "1,024") +
		counted(3, "k_f64(const int *)", block, grid, occupancy, "%", "n/a"))
	if err != nil || len(list) != 2 {
		t.Fatalf("%+v, %v", list, err)
	}
	l := list[0]
	if l.Entry != "k_f32" || l.Block != 128 || l.Grid != 1056 || l.Shared != 1040 || len(l.Counts) != 2 ||
		l.Counts["occupancy"] != 0.4375 || l.Counts["warp_efficiency"] != 0.25 {
		t.Errorf("launch %+v", l)
	}
	if l := list[1]; l.Entry != "k_f64" || len(l.Counts) != 0 {
		t.Errorf("launch %+v", l)
	}
}

// Mistakes are told with their lines, all at once.
func TestReadProfileMistakes(t *testing.T) {
	row := func(name, value string) string {
		return counted(0, "k_f32", "(64, 1, 1)", "(10, 1, 1)", name, "%", value)
	}
	for _, test := range []struct{ text, want string }{
		{"", `no header line`},
		{`"ID","Kernel Name"` + "\n", "no column Process ID, Block Size, Grid Size, Metric Name"},
		{columns, "has none of the metrics: collect them with --metrics " + occupancy},
		{columns + row("sm__cycles.avg", "1"), "has none of the metrics"},
		{columns + row(occupancy, "65,77"), "ncu.csv:2: " + occupancy + ` = "65,77" is not a number`},
		{columns + row(occupancy, "65,770"), `ncu.csv:2: ` + occupancy + ` = "65,770" is more than 100`},
		{columns + row(threads, "33"), "is more than 32"},
		{columns + row(occupancy, "-1"), "is not a number"},
		{columns + row(dynamic, "1.02"), `is in "%": run ncu with --print-units base`},
		{columns + "==PROF==\n" + row(occupancy, "1") + row(occupancy, "1"), "ncu.csv:4: launch 0 has " +
			occupancy + " twice"},
		{columns + row(occupancy, "1") + counted(0, "other", "(64, 1, 1)", "(10, 1, 1)", threads, "", "1"),
			"ncu.csv:3: launch 0 is another one in line 2"},
		{columns + counted(0, "k", "64", "(0, 1, 1)", threads, "", "1"),
			`ncu.csv:2: Block Size = "64" must have the form "(256, 1, 1)"`},
		{columns + counted(0, "k", "(64, 1, 1)", "(0, 1, 1)", threads, "", "1"), `Grid Size = "(0, 1, 1)"`},
		{columns + `"0","7"` + "\n", "ncu.csv:2: the number of fields differs from the header's"},
	} {
		if _, err := readProfile(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q:\n%v\nwant %s", test.text, err, test.want)
		}
	}
}

// A launch belongs to every trial that launches the same, and to no other.
func TestMatch(t *testing.T) {
	trial := func(id, kernel string, block, grid int, params kernels.Params, facts map[string]float64) (r store.Row) {
		r.ID, r.Properties = id, facts
		r.Config = kernels.Config{Kernel: kernel, Precision: kernels.Float32, Block: block, Grid: grid, Params: params}
		return r
	}
	tile := func(bytes float64) map[string]float64 { return map[string]float64{"shared_bytes": bytes} }
	trials := []store.Row{
		trial("small tile", "csr_adaptive", 64, 100, kernels.Params("tile=512"), tile(2048)),
		trial("large tile", "csr_adaptive", 64, 100, kernels.Params("tile=1024"), tile(4096)),
		trial("other grid", "csr_adaptive", 64, 200, kernels.Params("tile=512"), tile(2048)),
		trial("any grid", "coo_atomic", 256, 0, "", nil),
		trial("first", "csr_pcsr", 256, 50, kernels.Params("block2=64"),
			map[string]float64{"shared_bytes": 4612, "shared_bytes:csr_pcsr_multiply": 0}),
		trial("second", "csr_pcsr", 256, 50, kernels.Params("block2=128"),
			map[string]float64{"shared_bytes": 4612, "shared_bytes:csr_pcsr_multiply": 0}),
		trial("library", "cusparse_csr_alg1", 0, 0, "", nil),
	}
	launch := func(entry string, block, grid, shared int, occupancy float64) Launch {
		return Launch{Entry: entry, Block: block, Grid: grid, Shared: shared,
			Counts: store.Counts{"occupancy": occupancy, "load_efficiency": 1}}
	}
	counts, left := Match([]Launch{
		launch("csr_adaptive_block_f32", 64, 100, 2048, 0.2),
		launch("csr_adaptive_block_f32", 64, 100, 2048, 0.4),
		launch("csr_adaptive_warp_f32", 64, 100, 2048, 0.9), // the other long_row
		launch("csr_adaptive_block_f64", 64, 100, 2048, 0.9),
		launch("csr_adaptive_block_f32", 64, 100, 4096, 0.5),
		launch("coo_atomic_f32", 256, 12, 0, 0.7),
		launch("csr_pcsr_multiply_f32", 256, 50, 0, 0.8),
		launch("csr_pcsr_sum_f32", 64, 3, 4612, 0.1),
	}, store.Matrix{Features: sparse.Features{Rows: 100, Nonzeros: 3000}}, trials)
	want := map[string]float64{"small tile": 0.3, "large tile": 0.5, "any grid": 0.7, "first": 0.8, "second": 0.8}
	if len(counts) != len(want) || left != 3 {
		t.Errorf("%d trials, %d launches left: %+v", len(counts), left, counts)
	}
	for id, occupancy := range want {
		if c := counts[id]; math.Abs(c["occupancy"]-occupancy) > 1e-15 || len(c) != 2 || c["load_efficiency"] != 1 {
			t.Errorf("%s: %+v, want %v", id, c, occupancy)
		}
	}
}

func FuzzReadProfile(f *testing.F) {
	f.Add(columns + counted(0, "k_f32", "(64, 1, 1)", "(10, 1, 1)", occupancy, "%", "43.75"))
	f.Add(columns + counted(0, "k_f32", "(64, 1, 1)", "(99999999, 99999999, 99999999)", dynamic, "byte/block",
		"1,024,000"))
	f.Add("==PROF==\n\"ID\",\n==\n\"")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := readProfile(text)
		if err != nil {
			return
		}
		for _, l := range list {
			for _, v := range l.Counts {
				if v < 0 || v > 1 {
					t.Errorf("%v is no fraction", v)
				}
			}
			if l.Block < 1 || l.Grid < 1 || l.Shared < 0 {
				t.Errorf("launch %+v", l)
			}
		}
	})
}
