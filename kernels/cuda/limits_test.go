// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
)

// The slices for the library hold every nonzero in its row's lane, in the order of rows, and the
// column −1 with the value 0 elsewhere, as the library wants it.
func TestVendorSlices(t *testing.T) {
	m := rowsOfLength(3, 0, 9, 1, 0, 20, 2, 2, 5, 0, 1)
	const slice = 8
	c := kernels.Config{Kernel: "cusparse_sell", Precision: kernels.Float32, Params: kernels.Params("slice=8")}
	v := testkit.Must(vendorRecipes["cusparse_sell"](m, c))
	starts, columns, order := v.starts.own.Ints, v.columns.own.Ints, v.values.own.Vals
	testkit.EqualLists(t, []int{len(starts), v.height, v.entries, len(order), int(starts[2])},
		[]int{3, slice, len(columns), len(columns), len(columns)}, "sizes")

	rows := make([][]int32, m.Rows)
	for k, from := range order {
		if from < 0 {
			testkit.Equal(t, columns[k], -1, "padding at %d has column", k)
			continue
		}
		testkit.Equal(t, columns[k], m.ColIdx[from], "entry %d has column", k)
		h := k / int(starts[1])
		row := h*slice + (k-int(starts[h]))%slice
		rows[row] = append(rows[row], from)
	}
	for i, got := range rows {
		want := []int32{}
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			want = append(want, k)
		}
		testkit.Check(t, slices.Equal(got, want) || len(got)+len(want) == 0, "row %d holds nonzeros %v, want %v", i, got, want)
	}
}

// The library gets as many blocks as it is told, in the shape of the configuration. A matrix that would
// be filled with zeros, or is no multiple of the blocks, is refused with what would be possible.
func TestVendorBlocks(t *testing.T) {
	blocks := vendorRecipes["cusparse_bsr"]
	dense := &structure{Rows: 6, Cols: 6, RowPtr: []int32{0, 3, 6, 9, 9, 10, 10}, ColIdx: []int32{0, 1, 2, 0, 1, 2, 0, 1, 2, 5},
		Val: make([]float64, 10)}
	v := testkit.Must(blocks(dense, kernels.Config{Kernel: "cusparse_bsr", Precision: kernels.Float32}))
	order := []int32{0, 1, 2, 3, 4, 5, 6, 7, 8, -1, -1, -1, -1, -1, 9, -1, -1, -1}
	if !slices.Equal(v.starts.own.Ints, []int32{0, 1, 2}) || !slices.Equal(v.columns.own.Ints, []int32{0, 1}) ||
		!slices.Equal(v.values.own.Vals, order) {
		t.Errorf("starts %v, columns %v, values %v", v.starts.own.Ints, v.columns.own.Ints, v.values.own.Vals)
	}
	testkit.Equal(t, v.entries, 18, "entries")
	testkit.Equal(t, v.height, 3, "height")

	sparse := rowsOfLength(slices.Repeat([]int{1}, 60000)...)
	for name, c := range map[string]struct {
		m      *structure
		params kernels.Params
	}{
		"no multiple": {dense, "shape=4x4"},
		"filled":      {withSpread(sparse), "shape=6x6"},
	} {
		_, err := blocks(c.m, kernels.Config{Kernel: "cusparse_bsr", Precision: kernels.Float32, Params: c.params})
		var invalid *kernels.InvalidError
		testkit.Check(t, errors.As(err, &invalid), "%s: %v", name, err)
	}
}

// withSpread puts the only nonzero of row i into column i.
func withSpread(m *structure) *structure {
	m.Cols = m.Rows
	for i := range m.ColIdx {
		m.ColIdx[i] = int32(i)
	}
	return m
}

// A matrix with one value that differs, wherever and by however little, is refused where a kernel
// would read one value for all. Verification can't tell a single value in a long row from rounding.
func TestEqualValuesAreDemanded(t *testing.T) {
	tried := 0
	for _, k := range kernels.Catalogue {
		if !slices.ContainsFunc(k.Params, func(p kernels.Param) bool { return slices.Contains(p.Values, "equal") }) {
			continue
		}
		tried++
		m := withValue(randomRows(60, 90, 70, 8), 3)
		last := m.NNZ() - 1
		for _, order := range []string{"none", "rows-by-length"} {
			for _, p := range []kernels.Precision{kernels.Float32, kernels.Float64} {
				settings := map[string]string{"values": "equal", kernels.Reorder: order}
				c := kernels.Config{Kernel: k.Name, Precision: p, Block: 64, Grid: 2,
					Params: k.Complete(kernels.NewParams(settings))}
				check := func(want string) {
					t.Helper()
					forget() // the values have changed
					_, err := newRecipe(m, c, p.Bytes())
					var invalid *kernels.InvalidError
					if got := errors.As(err, &invalid); got != (want != "") || got && err.Error() != want {
						t.Errorf("%s: %v, want %q", c, err, want)
					}
				}
				check("")
				for _, at := range []int{0, last / 2, last} {
					for _, v := range []float64{4, math.Nextafter(3, 4), math.NaN()} {
						m.Val[at] = v
						check("the matrix's values are not all equal")
					}
					m.Val[at] = 3
				}
			}
		}
	}
	testkit.Check(t, tried >= 2, "%d kernels leave out equal values", tried)
}

// Configurations that share a packing share its memory, by which the device's copy is found, and are charged what
// making it cost. Those that were used longest ago are dropped beyond a limit.
func TestPack(t *testing.T) {
	defer forget()
	defer func(limit int64) { packingLimit = limit }(packingLimit)
	packingLimit = 1000
	type key struct{ tile int }
	built := 0
	get := func(m *structure, tile, bytes int) []uint8 {
		p, _ := pack(m, key{tile}, func() (*struct{ all []uint8 }, error) {
			built++
			time.Sleep(time.Millisecond)
			return &struct{ all []uint8 }{make([]uint8, bytes)}, nil
		})
		return p.all
	}
	a, b := &structure{}, &structure{}
	before := reusedCost()
	first := get(a, 64, 300)
	testkit.Equal(t, reusedCost()-before, 0, "the first use is charged beside the time that it took")
	if again := get(a, 64, 300); &first[0] != &again[0] || built != 1 || reusedCost()-before < time.Millisecond {
		t.Errorf("the same packing was built %d times, and reuse is charged %v", built, reusedCost()-before)
	}
	for _, step := range []struct {
		m                 *structure
		tile, bytes, want int
	}{{a, 128, 300, 2}, {a, 64, 300, 2}, {a, 1, 500, 3}, {a, 64, 300, 3}, {a, 128, 300, 4}, {b, 64, 300, 5}, {a, 64, 300, 6}} {
		get(step.m, step.tile, step.bytes)
		testkit.Equal(t, built, step.want, "built by %+v", step)
	}
	for range 2 { // why there is none is kept, too
		_, err := pack(a, key{2}, func() (int, error) { built++; return 0, errors.New("it does not suit") })
		if invalid := new(kernels.InvalidError); !errors.As(err, &invalid) || err.Error() != "it does not suit" || built != 7 {
			t.Errorf("%v after %d were built", err, built)
		}
	}
}

// A matrix within the limits of a configuration is one that its recipe takes, and there are such
// matrices, and others.
func TestLimitsAreEnough(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	matrices := map[*structure]func(string) float64{}
	for range 100 {
		m := shaped(rng)
		matrices[m] = featuresOf(m)
	}
	configs := map[string][]string{
		"sell_local":     {"x_kb=24", "x_kb=96"},
		"csr_lanes":      {"x=panels x_kb=24", "x=hot x_kb=24", "x=panels x_kb=220 longest=8192"},
		"panel_sell":     {"columns=1024"},
		"sell_c_sigma":   {"sigma=1"},
		"sell_diagonals": {"turn=5", "turn=9"},
	}
	for name, settings := range configs {
		k, ok := kernels.Lookup(name)
		testkit.Require(t, ok, "%s is not in the catalogue", name)
		for _, setting := range settings {
			for _, p := range []kernels.Precision{kernels.Float32, kernels.Float64} {
				c := kernels.Config{Kernel: name, Precision: p, Block: 128, Grid: 16,
					Params: k.Complete(kernels.Params(setting))}
				within, beyond := 0, 0
				for m, features := range matrices {
					legal := true
					for _, l := range Limits(c) {
						legal = legal && l.Holds(features)
					}
					if legal && !Legal(m, c) {
						t.Errorf("%s is within limits on %d rows, %d columns and %d nonzeros, and refused", c, m.Rows, m.Cols, m.NNZ())
					}
					if legal {
						within++
					} else {
						beyond++
					}
				}
				if within == 0 || beyond == 0 && name != "sell_c_sigma" {
					t.Errorf("%s: %d matrices within its limits, %d beyond: no test", c, within, beyond)
				}
			}
		}
	}
}

// What no feature tells, a matrix does: blocks of three rows and columns, and as many entries far apart.
func TestLegalOfAMatrix(t *testing.T) {
	k, _ := kernels.Lookup("sell_blocks")
	c := kernels.Config{Kernel: k.Name, Precision: kernels.Float32, Block: 128, Grid: 16, Params: k.Complete("")}
	blocks := &structure{Rows: 3000, Cols: 3001, RowPtr: []int32{0}}
	for i := range blocks.Rows {
		for j := range 3 {
			blocks.ColIdx = append(blocks.ColIdx, int32(i/3*3+j))
		}
		blocks.RowPtr = append(blocks.RowPtr, int32(len(blocks.ColIdx)))
	}
	blocks.Val = make([]float64, len(blocks.ColIdx))
	apart := *blocks
	apart.ColIdx = slices.Clone(blocks.ColIdx)
	for k := range apart.ColIdx {
		apart.ColIdx[k] = int32(k%3*1000 + k/3*7%900)
	}
	if !Legal(blocks, c) || Legal(&apart, c) {
		t.Errorf("blocks are legal: %t, entries far apart: %t", Legal(blocks, c), Legal(&apart, c))
	}
	for _, l := range Limits(c) {
		testkit.Check(t, !l.Holds(featuresOf(blocks)), "features tell that blocks are legal")
	}
}

// shaped is a small matrix of any shape: few rows or many, columns anywhere or on few diagonals.
func shaped(rng *rand.Rand) *structure {
	rows, cols := int(math.Exp(rng.Float64()*8)), int(math.Exp(rng.Float64()*14))
	each := 1 + rng.IntN(1+min(60, cols))
	band := rng.IntN(3) == 0
	m := &structure{Rows: rows, Cols: cols, RowPtr: []int32{0}}
	for i := range rows {
		columns := make([]int32, each)
		for j := range columns {
			columns[j] = int32(rng.IntN(cols))
			if band {
				columns[j] = int32((i + j) % cols)
			}
		}
		slices.Sort(columns)
		m.ColIdx = append(m.ColIdx, slices.Compact(columns)...)
		m.RowPtr = append(m.RowPtr, int32(len(m.ColIdx)))
	}
	m.Val = make([]float64, len(m.ColIdx))
	return m
}

// featuresOf are the features of a matrix, by name.
func featuresOf(m *structure) func(name string) float64 {
	names, values := sparse.FeatureNames(), sparse.Analyze(m).Values()
	return func(name string) float64 { return values[slices.Index(names, name)] }
}

// What is packed ahead is what its configuration then finds, at the cost of making it and no other. An error is found
// again, and so is a panic. Without anything to pack, nothing is being packed.
func TestPackAhead(t *testing.T) {
	defer forget()
	m := rowsOfLength(3, 0, 9, 1, 0, 20, 2, 2, 5, 0, 1)
	c := kernels.Config{Kernel: "csr_adaptive", Precision: kernels.Float32, Block: 256}
	var a ahead
	a.packAhead(m, []kernels.Config{c})
	a.running.Wait()
	kept := len(packings.kept)
	testkit.Require(t, kept != 0, "nothing was packed")
	before := reusedCost()
	a.packAhead(m, []kernels.Config{c}) // that these exist is nobody's cost
	a.running.Wait()
	testkit.Equal(t, reusedCost()-before, 0, "packing ahead is charged")
	_, err := newRecipe(m, c, 4)
	testkit.Succeed(t, err)
	testkit.Equal(t, len(packings.kept), kept, "packings")
	testkit.Check(t, reusedCost() != before, "what was packed ahead is charged nothing")

	// What was asked for before is given up, and nothing is being made after that.
	forget()
	a.packAhead(m, []kernels.Config{c})
	a.packAhead(m, nil)
	now := len(packings.kept)
	a.running.Wait()
	testkit.Equal(t, len(packings.kept), now, "packings, of which none is still being made")

	// One that is being made is waited for.
	begun, made := make(chan bool), 0
	build := func() (*int, error) { begun <- true; made++; return &made, nil }
	go pack(m, "key", build)
	<-begun
	testkit.Equal(t, *testkit.Must(pack(m, "key", build)), 1, "times it was made")
	for range 2 {
		failed := panics.Caught(func() error { _, err := pack(m, "no", func() (int, error) { panic("out of its range") }); return err })
		testkit.Fails(t, failed(), "out of its range")
	}
}
