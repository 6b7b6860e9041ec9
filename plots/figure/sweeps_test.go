package figure

import (
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/synthetic"
	"spmvtune/kernels"
	"spmvtune/plots/data"
	"spmvtune/sparse"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// TestSweepsGiveFigures: the sweep that a figure names as producing its data does.
func TestSweepsGiveFigures(t *testing.T) {
	made := map[string]*data.Report{}
	for i := range All {
		f := &All[i]
		if f.ID == "winner-features" {
			continue // what a sweep measures says whether two features decide
		}
		if made[f.Sweep] == nil {
			made[f.Sweep] = swept(t, f.Sweep)
		}
		if pages, _ := f.draw(made[f.Sweep]); len(pages) == 0 {
			t.Errorf("%s: `run %s` gives no page", f.ID, f.Sweep)
		}
	}
}

// swept is what a shipped sweep would leave of three matrices, on a processor and,
// if it has kernels for one, a GPU, where it was profiled.
func swept(t *testing.T, name string) *data.Report {
	t.Helper()
	sweep, err := configs.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	devices := []store.Device{
		{Label: "Testcore", Device: kernels.Device{Backend: "cpu", Name: "Testcore", Units: 2},
			Roof: kernels.Roof{Read: 40}},
		{Label: "Testcard", Device: kernels.Device{Backend: "cuda", Name: "Testcard", Units: 8},
			Roof: kernels.Roof{Read: 400}},
	}
	var rows []store.Row
	var matrices []store.Matrix
	patterns := map[string]*sparse.Density{}
	for mi, m := range []string{"short", "middle", "long"} {
		n, mean := 1_000_000*(1+mi), 3+20*mi
		matrices = append(matrices, store.Matrix{Name: m, Hash: m,
			Features: sparse.Features{Rows: n, Cols: n, Nonzeros: mean * n, RowMean: float64(mean)}})
		patterns[m] = synthetic.Pattern(mi)
		for _, space := range sweep.Kernels {
			for _, dev := range devices {
				for c := range space.Expand(dev.Units) {
					k, _ := kernels.Lookup(c.Kernel)
					if k.Backend != dev.Backend {
						continue
					}
					ms := 1 + synthetic.Wave(len(rows)+mi)
					r := store.Row{
						Sweep: name, Device: dev.Label, Matrix: m, Rows: n, Cols: n, NNZ: mean * n, Format: k.Format,
						Result: synthetic.Result(c, ms, 0.99, 1.01), Taken: 20,
						GFLOPS: 2e-6 * float64(mean*n) / ms, GBPS: 12e-6 * float64(mean*n) / ms, RoofFraction: 0.5,
					}
					r.Factor, r.Prepare = 1.03, 1e-3*float64(len(k.Format))
					r.Cache, r.At = trial.Cache(sweep.Protocol.Cache), synthetic.Someday
					rows = append(rows, synthetic.Estimated(r))
				}
			}
		}
	}
	d := data.New(rows, nil, matrices, devices)
	d.Patterns, d.Launches = patterns, synthetic.LaunchesOf(d)
	synthetic.Profiled(d)
	d.Rule = synthetic.Validated(d)
	d.Sweeps = []store.Sweep{{Name: name, Settings: sweep.Settings()}}
	if len(d.Searchables()) > 0 {
		d.Searched = synthetic.SearchedOn(devices[1].Label)
	}
	for i := range matrices {
		for _, dev := range devices {
			n := 0
			for j := range rows {
				if rows[j].Device == dev.Label && rows[j].Matrix == matrices[i].Name {
					n++
				}
			}
			if sweep.Protocol.Sentinel > 0 && n > sweep.Protocol.Sentinel {
				d.Drifts = append(d.Drifts, synthetic.Drift(dev.Label, matrices[i].Name, i))
			}
		}
	}
	return d
}
