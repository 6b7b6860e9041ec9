package generate

import (
	"math"
	"math/rand/v2"
	"runtime"
	"testing"

	"spmvtune/sparse"
)

// likeTwin checks what is promised of every twin, at any scale.
func likeTwin(t *testing.T, spec string, args map[string]any, size Size, m *sparse.CSR[float64]) {
	t.Helper()
	k := twinNamed(t, args["of"].(string))
	if k.plan == nil && m.NNZ() != size.NNZ || m.NNZ() > size.NNZ {
		t.Errorf("%s: planned %d nonzeros, made %d", spec, size.NNZ, m.NNZ())
	}
	if k.symmetric {
		symmetric(t, spec, m)
	}
}

func twinNamed(t *testing.T, name string) *twin {
	t.Helper()
	for i := range twins {
		if twins[i].name == name {
			return &twins[i]
		}
	}
	t.Fatalf("no twin %s", name)
	return nil
}

// TestTwinAtEveryScale looks for scales at which a law or a pattern falls apart.
func TestTwinAtEveryScale(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, k := range twins {
		largest := 1e5 / float64(max(k.nnz, 50_000_000))
		if k.nnz > 0 && k.nnz < 60_000 {
			largest = 1
		}
		for range 40 {
			args := map[string]any{"of": k.name, "seed": r.IntN(1 << 30),
				"scale": math.Exp(math.Log(1e-9) + r.Float64()*(math.Log(largest)-math.Log(1e-9)))}
			if k.local != nil {
				args["locality"] = localities[r.IntN(2)]
			}
			spec := Spec("twin", args)
			size, err := Plan("twin", args)
			if err != nil {
				t.Fatalf("%s: %v", spec, err)
			}

			m := build(t, "twin", args)
			wellFormed(t, spec, m)
			likeTwin(t, spec, args, size, m)
		}
	}
}

// TestTwinOnAnyCores makes every twin on one, two and seven cores.
func TestTwinOnAnyCores(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, k := range twins {
		args := map[string]any{"of": k.name, "scale": min(1, 1e5/float64(max(k.nnz, 5_000_000)))}
		want := ""
		for _, cores := range []int{1, 2, 7} {
			runtime.GOMAXPROCS(cores)
			if got := digest(build(t, "twin", args)); want == "" {
				want = got
			} else if got != want {
				t.Errorf("%s: another matrix on %d cores than on 1", Spec("twin", args), cores)
			}
		}
	}
}

// published holds what feature tables say of the originals; 0 is not published.
// pwtk's mean and deviation count explicit zeros, which its 11,524,432 nonzeros don't.
var published = []struct {
	name string
	likeness
}{
	{"model7", likeness{rowMean: 15.2, rowMax: 253}},
	{"lp_ganges", likeness{rowMean: 5.299}},
	{"webbase-1M", likeness{3.10552, 25.3452, 1, 4700, 28685, 0, 152464, 0.315681, 0.936095}},
	{"mc2depi", likeness{3.99415, 0.076323, 2, 4, 4, 0, 705.746, 0.498297, 0.998906}},
	{"mac_econ_fwd500", likeness{6.16653, 4.43586, 1, 44, 47, 0, 393.993, 0.176686, 0.330509}},
	{"torso2", likeness{rowMean: 8.912}},
	{"pwtk", likeness{0, 4.7439, 2, 180, 180, 0, 12927, 1.87835, 0.949809}},
	{"cant", likeness{64.1684, 14.0563, 1, 78, 78, 0, 537.335, 1.61575, 0.914729}},
	{"consph", likeness{72.1252, 19.0802, 1, 81, 81, 0, 5817.66, 1.71335, 0.882633}},
	{"pdb1HYS", likeness{119.306, 31.8604, 18, 204, 204, 0, 4731.94, 1.83776, 0.931726}},
	{"Ga41As41H72", likeness{68.9621, 105.388, 18, 702, 702, 0, 46185.6, 1.18402, 0.969575}},
	{"Si41Ge41H72", likeness{80.8627, 126.972, 13, 662, 662, 0, 35928.1, 1.26978, 0.963174}},
	{"rail4284", likeness{2633.99, 4209.26, 2, 56182, 12, 0, 1.04813e6, 1.57627, 0.269166}},
	{"Stanford_Berkeley", likeness{11.0958, 284.832, 0, 83448, 249, 0, 4865.15, 1.3266, 0.652664}},
	{"mouse_gene", likeness{rowMean: 642.3, rowMax: 8032}},
	{"mycielskian16", likeness{rowMean: 679.2, rowMax: 24575}},
	{"F1", likeness{rowMean: 78.06}},
	{"crankseg_1", likeness{rowMean: 201}},
	{"inline_1", likeness{rowMean: 73.09}},
	{"ecology1", likeness{rowMean: 4.996, rowMax: 5}},
	{"Hamrle3", likeness{rowMean: 3.81}},
	{"cage14", likeness{rowMean: 18.02}},
	{"Freescale1", likeness{rowMean: 4.973}},
	{"circuit5M_dc", likeness{rowMean: 4.219, rowMax: 27}},
	{"sx-stackoverflow", likeness{13.9254, 137.85, 0, 38148, 22258, 0, 624879, 0.003092, 0.11658}},
	{"mawi_201512012345", likeness{2.04835, 3805.81, 1, 16399896, 16399896, 0, 168021, 0.883952, 0.887449}},
	{"hugetrace-00000", likeness{rowMean: 2.998, rowMax: 3}},
	{"delaunay_n23", likeness{rowMean: 6, rowMax: 28}},
	{"europe_osm", likeness{rowMean: 2.123, rowMax: 13}},
	{"mawi_201512020330", likeness{rowMean: 2.122, rowMax: 210000000}},
}
