// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/generate"
)

// rowsOfLength returns a matrix with rows of these lengths, whose first columns
// hold small integers, so that any order of summation is exact.
func rowsOfLength(lengths ...int) *structure {
	m := &structure{Rows: len(lengths), RowPtr: []int32{0}}
	for _, n := range lengths {
		m.Cols = max(m.Cols, n)
		for j := range n {
			m.ColIdx = append(m.ColIdx, int32(j))
			m.Val = append(m.Val, float64(len(m.Val)%7-3))
		}
		m.RowPtr = append(m.RowPtr, int32(len(m.ColIdx)))
	}

	return m
}

// randomRows returns rows of random length below limit, every third one empty,
// at random columns of cols ≥ limit.
func randomRows(rows, cols, limit int, seed uint64) *structure {
	rng := rand.New(rand.NewPCG(seed, 0))
	lengths := make([]int, rows)
	for i := range lengths {
		if i%3 > 0 {
			lengths[i] = rng.IntN(limit)
		}
	}

	m := rowsOfLength(lengths...)
	m.Cols = cols
	for i := range rows {
		columns := rng.Perm(cols)[:lengths[i]]
		slices.Sort(columns)
		for j, col := range columns {
			m.ColIdx[int(m.RowPtr[i])+j] = int32(col)
		}
	}

	return m
}

// corners are the structures at which kernels go wrong.
func corners() map[string]*structure {
	ones := slices.Repeat([]int{1}, 700)
	none := slices.Repeat([]int{0}, 70)
	return map[string]*structure{
		"no rows":              rowsOfLength(),
		"no columns":           rowsOfLength(0, 0, 0),
		"1×1":                  rowsOfLength(1),
		"empty at both ends":   rowsOfLength(0, 0, 5, 0, 40, 0, 0),
		"few between empty":    rowsOfLength(slices.Concat(none, []int{3, 40, 1, 8, 9, 2}, none, []int{7, 1})...),
		"one row":              rowsOfLength(3001),
		"one column":           rowsOfLength(ones...),
		"windows end in rows":  rowsOfLength(31, 1, 32, 33, 64, 63, 1, 128, 0, 1024, 2047),
		"windows begin a row":  rowsOfLength(slices.Repeat([]int{32}, 40)...),
		"a long one among few": rowsOfLength(1, 2, 1, 2000, 1, 0, 3),
		"tall":                 randomRows(500, 20, 12, 1),
		"wide":                 randomRows(20, 500, 300, 2),
		"equal values":         withValue(randomRows(60, 90, 70, 8), 3),
		"rows that share bins of 64": rowsOfLength(slices.Concat([]int{40, 24, 24, 40, 33, 31, 1, 63, 0, 64, 20, 20, 20, 4},
			make([]int, 40), []int{7, 0, 50}, make([]int, 33), []int{65, 1}, slices.Repeat([]int{1}, 64))...),
	}
}

// checkKernel runs k on all corners, in both precisions, over legal blocks, and
// over fewer blocks than work and more; a structure meets a third of these, and a
// fifteenth where the long tests were not asked for.
func checkKernel(t *testing.T, e *emulator, k kernels.Kernel) {
	t.Helper()
	structures, every := corners(), 15
	if testkit.LongAsked() {
		every = 3
	}

	for turn, name := range slices.Sorted(maps.Keys(structures)) {
		for i, c := range configurations(k) {
			if (i+turn)%every == 0 {
				checkExact(t, e, structures[name], c, int64(i))
			}
		}
	}
}

// checkExact runs a configuration on m, whose values are integers, as x is: y must be exact,
// and 0 in rows without nonzeros. A configuration that can't run on m is left out.
func checkExact(t *testing.T, e *emulator, m *structure, c kernels.Config, seed int64) {
	t.Helper()
	var invalid *kernels.InvalidError
	if _, err := newRecipe(m, c, c.Precision.Bytes()); errors.As(err, &invalid) {
		return
	}

	x := make([]float64, m.Cols)
	for j := range x {
		x[j] = float64(j%5 - 2)
	}
	checkProduct(t, c, m, x, e.run(t, m, x, c, seed))
}

// checkProduct compares y with a plain product; the data are integers.
func checkProduct(t *testing.T, c kernels.Config, m *structure, x, y []float64) {
	t.Helper()
	want := make([]float64, m.Rows)
	for i := range want {
		cols, vals := m.Row(i)
		for j, col := range cols {
			want[i] += vals[j] * x[col]
		}
	}
	if row, ok := firstDifference(y, want); !ok {
		t.Errorf("%s on %s: row %d is %v, want %v", c, m, row, y[row], want[row])
	}
}

// configurations are legal blocks of k, grids, and every setting of its parameters,
// though not every one with every other.
func configurations(k kernels.Kernel) []kernels.Config {
	settings := []kernels.Params{""}
	for _, p := range k.Params {
		values := p.Values
		if values == nil { // a number
			values = []string{p.Default, "1", "7"}
		}
		var next []kernels.Params

		for _, s := range settings {
			for _, v := range values {
				next = append(next, s.With(p.Name, v))
			}
		}
		settings = next
	}

	shapes := slices.DeleteFunc([][2]int{
		{1, 1}, {1, 7}, {2, 132}, {32, 1}, {32, 132}, {33, 3}, {64, 7}, {100, 2}, {256, 2}, {992, 1}, {1000, 3}, {1024, 2},
	}, func(s [2]int) bool { return !k.Blocks.Contains(s[0]) })
	var all []kernels.Config

	for i := range max(len(shapes), len(settings)) {
		shape := shapes[i%len(shapes)]
		c := kernels.Config{Kernel: k.Name, Block: shape[0], Params: settings[i%len(settings)]}
		c.Precision = []kernels.Precision{kernels.Float32, kernels.Float64}[i/2%2]
		if k.Grid != "" {
			c.Grid = shape[1]
		}

		if k.Check(c) == nil {
			all = append(all, c)
		}
	}

	return all
}

// firstDifference compares exactly; a NaN differs from everything.
func firstDifference(got, want []float64) (row int, equal bool) {
	if len(got) != len(want) {
		return 0, false
	}
	for i := range got {
		if got[i] != want[i] {
			return i, false
		}
	}
	return 0, true
}

// Every GPU kernel of the catalogue has a recipe or is a library's, and the PTX has all
// entries that the recipe launches, in both precisions, under the kernel's name.
func TestRecipes(t *testing.T) {
	for _, k := range kernels.Catalogue {
		if k.Backend != "cuda" || strings.HasPrefix(k.Name, "cusparse_") {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			newRecipe := recipes[k.Name]
			testkit.Require(t, newRecipe != nil, "recipes.go has no row for it")
			testkit.Check(t, Source(k.Name) != "", "it has no source")

			for _, c := range configurations(k) {
				r, err := newRecipe(rowsOfLength(3, 0, 70), c, c.Precision.Bytes())
				if err != nil {
					continue // says why this structure can't be run so
				}
				for _, s := range r.Steps {
					for _, suffix := range []string{"_f32", "_f64"} {
						entry := s.Entry + suffix
						if files := entryFiles()[entry]; files == nil || kernelOf(entry) != k.Name {
							t.Errorf("%s: entry %s is in %d files of PTX; by its name it belongs to %q", c, entry,
								len(files), kernelOf(entry))
						} else {
							testkit.EqualLists(t, kindsOf(s.Args), parametersOf(files[0], entry), "%s: arguments of %s", c, entry)
						}
					}
				}
			}
		})
	}

	for kernel := range recipes {
		if k, ok := kernels.Lookup(kernel); !ok || k.Backend != "cuda" {
			t.Errorf("%s has a recipe but is not a GPU kernel of the catalogue", kernel)
		}
	}
}

// parametersOf gives the types of an entry's parameters.
func parametersOf(c *compiled, entry string) (types []string) {
	_, text, _ := strings.Cut(c.text, "\n.visible .entry "+entry+"(")
	text, _, _ = strings.Cut(text, ")")
	for _, m := range regexp.MustCompile(`\.param \.(\w+)`).FindAllStringSubmatch(text, -1) {
		types = append(types, m[1])
	}
	return types
}

// kindsOf gives the types that parameters have for these arguments.
func kindsOf(args []arg) (types []string) {
	for _, a := range args {
		if a.array == "" {
			types = append(types, "u32")
		} else {
			types = append(types, "u64")
		}
	}
	return types
}

// The entry that a configuration is said to launch with its block and grid is one of
// those that its recipe launches so, on matrices of other shapes, too.
func TestEntry(t *testing.T) {
	wide := rowsOfLength(slices.Repeat([]int{70}, 900)...)
	for kernel, newRecipe := range recipes {
		k, _ := kernels.Lookup(kernel)
		for _, m := range []*structure{rowsOfLength(3, 0, 70), wide} {
			for _, c := range configurations(k) {
				r, err := newRecipe(m, c, c.Precision.Bytes())
				got := Entry(c, m.Rows, m.NNZ())
				if err != nil {
					continue // the matrix may forbid what the name needs not know
				}

				if !slices.ContainsFunc(r.Steps, func(s step) bool {
					return s.Entry+suffix(c.Precision.Bytes()) == got && s.Block == c.Block &&
						(s.Grid == c.Grid || k.Grid == "")
				}) {
					t.Errorf("%s: %q, but it launches %+v", c, got, r.Steps)
				}
			}
		}
	}

	for want, c := range map[string]kernels.Config{
		"csr_light_8_f32": {Kernel: "csr_light", Precision: kernels.Float32, Block: 64, Grid: 1},
		"csr_thread_row_min2_shared_f64": {Kernel: "csr_thread_row", Precision: kernels.Float64, Block: 64, Grid: 1,
			Params: kernels.Params("min_blocks=2 shared=1")},
		"csr_pcsr_multiply_f64": {Kernel: "csr_pcsr", Precision: kernels.Float64, Block: 64, Grid: 1},
		"csr_merge_f32":         {Kernel: "csr_merge", Precision: kernels.Float32, Block: 256, Grid: 1},
		"":                      {Kernel: "cusparse_csr_alg1", Precision: kernels.Float32},
	} {
		testkit.Equal(t, Entry(c, 1000, 20_000), want, "%s", c)
	}
}

// TestEmulated runs every kernel that has a recipe, and the measurement of gathering, on
// the processor.
func TestEmulated(t *testing.T) {
	e := newEmulator(t)
	for _, k := range kernels.Catalogue {
		if recipes[k.Name] == nil {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			checkKernel(t, e, k)
			if k.Format != kernels.COO && testkit.LongAsked() {
				checkFewBlocks(t, e, k)
			}
		})
	}
	t.Run("gather", func(t *testing.T) { checkGather(t, e) })
}

// kernelSources are the .cu files, without ending, of all kernels that have a recipe.
func kernelSources(t *testing.T) []string {
	t.Helper()
	var names []string
	for kernel := range recipes {
		files := kernelFiles()[kernel]
		testkit.Require(t, len(files) != 0, "no PTX has an entry of %s: go generate ./kernels/cuda makes it from a .cu file", kernel)
		for _, c := range files {
			names = append(names, c.source)
		}
	}

	slices.Sort(names)
	return slices.Compact(names)
}

// checkFewBlocks runs k in blocks of several warps that take many rows, bins or tiles one
// after another, and use their shared memory again and again: a barrier missing in between
// shows.
func checkFewBlocks(t *testing.T, e *emulator, k kernels.Kernel) {
	m := randomRows(600, 300, 30, 3)
	for _, n := range []int{300, 64, 65, 299, 0} {
		for j := range n {
			m.ColIdx, m.Val = append(m.ColIdx, int32(j)), append(m.Val, float64(j%3))
		}
		m.Rows++
		m.RowPtr = append(m.RowPtr, int32(len(m.ColIdx)))
	}

	first, last := kernels.Params(""), kernels.Params("")
	for _, p := range k.Params {
		values := p.Values
		if values == nil { // a number
			values = []string{p.Default, "128"}
		}
		first, last = first.With(p.Name, values[0]), last.With(p.Name, values[len(values)-1])
	}

	for i, p := range []kernels.Params{"", first, last} {
		checkExact(t, e, m, kernels.Config{Kernel: k.Name, Precision: kernels.Float32, Block: 64, Grid: 1, Params: p}, int64(i))
		checkExact(t, e, m, kernels.Config{Kernel: k.Name, Precision: kernels.Float64, Block: 256, Grid: 2, Params: p}, int64(i))
	}
}

// What the corner cases do not have: slices that need wide columns, register blocks that lack
// values, values that are all equal, and stencils.
func TestEmulatedSlices(t *testing.T) {
	e := newEmulator(t)
	check := func(m *structure, kernel string, settings ...kernels.Params) {
		t.Helper()
		for i, p := range settings {
			for _, precision := range []kernels.Precision{kernels.Float32, kernels.Float64} {
				c := kernels.Config{Kernel: kernel, Precision: precision, Block: 64, Grid: 3 + i, Params: p}
				testkit.Must(recipes[kernel](m, c, precision.Bytes()))
				checkExact(t, e, m, c, int64(i))
			}
		}
	}

	far := randomRows(300, 200, 20, 7)
	for i := range far.ColIdx[:far.RowPtr[200]] { // narrow slices remain at the end
		if far.ColIdx[i] > 100 {
			far.ColIdx[i] += 1<<17 - 200
		}
	}
	far.Cols = 1 << 17
	check(far, "sell_blocks", "", "loads=4 shape=2x2", "shape=4x4", "loads=4 shape=6x6")

	check(far, "csr_narrow", "", "tile=256", "tile=512")

	for dof, shape := range map[int]string{2: "2x2", 3: "3x3", 4: "4x4", 6: "6x6"} {
		args := map[string]any{"nodes": 200, "dof": dof, "neighbours": 9.0, "band": 60}
		m := testkit.Must(generate.Build(t.Context(), "fem_blocks", args))
		m = integers(m)
		p := kernels.Params("shape=" + shape)
		check(m, "sell_blocks", p, p.With("loads", "4"))
	}

	check(withValue(far, -3), "csr_narrow", "values=equal", "tile=512 values=equal", "tile=256 values=equal")
	few := rowsOfLength(slices.Concat([]int{200, 100, 0, 1, 0, 300, 17, 90, 0, 0, 64, 128, 105, 1, 1, 33, 60, 44, 7, 120, 513, 2500},
		slices.Repeat([]int{1}, 220), slices.Repeat([]int{40, 0}, 12))...)
	for i := range few.ColIdx {
		few.ColIdx[i] = few.ColIdx[i]*100 + 1 // so that the columns of a piece differ in their upper halves
	}
	few.Cols = few.Cols*100 + 1
	unread := make([]float64, few.Cols)
	unread[0] = math.NaN() // of no row; what fills up a tile of csr_segscan multiplies it
	for _, kernel := range []string{"csr_segscan", "csr_narrow"} {
		check(few, kernel, "tile=512", "tile=256", "")
		y := e.run(t, few, unread, kernels.Config{Kernel: kernel, Precision: kernels.Float32, Block: 64, Grid: 2}, 1)
		testkit.Check(t, !slices.ContainsFunc(y, math.IsNaN), "%s: a NaN of x reaches rows that don't have it", kernel)
	}
	check(withValue(few, -3), "csr_narrow", "tile=256 values=equal", "tile=512 values=equal")

	c := kernels.Config{Kernel: "csr_segscan", Precision: kernels.Float64, Block: 64, Grid: 3, Params: "tile=256"}
	checkExact(t, e, rowsOfLength(3, 768*1025, 5), c, 1) // pieces of 3 tiles, added at three levels

	stencil := testkit.Must(generate.Build(t.Context(), "grid_5pt", map[string]any{"nx": 37, "ny": 29}))
	check(stencil, "sell_diagonals", "turn=3", "turn=4", "turn=5", "turn=7", "turn=9")
}

// Slices, blocks, tiles and diagonals hold matrices of any structure, also where what a byte counts ends at 255.
func TestEmulatedStructures(t *testing.T) {
	e := newEmulator(t)
	matrices := []*structure{rowsOfLength(255, 0), rowsOfLength(256, 0), rowsOfLength(append(make([]int, 255), 1)...),
		rowsOfLength(append(make([]int, 256), 1)...)}
	for _, spec := range []string{"grid_5pt(nx=31, ny=17)", "grid_5pt(nx=320, ny=9)", "rmat(scale=7)", "road(rows=3000)",
		"uniform(rows=333, cols=2000, row_nnz=2)", "uniform(rows=2000, cols=3, row_nnz=1.5)",
		"giant_row(rows=3000, giant=3000, row_nnz=1)", "fem_blocks(nodes=333, dof=6, band=50, neighbours=9)"} {
		name, args, err := generate.ParseSpec(spec)
		testkit.Succeed(t, err)
		matrices = append(matrices, integers(testkit.Must(generate.Build(t.Context(), name, args))))
	}
	for _, m := range matrices {
		for kernel, settings := range map[string][]kernels.Params{
			"csr_narrow":     {"tile=256", "tile=512"},
			"csr_segscan":    {"tile=256", "tile=512"},
			"sell_blocks":    {"shape=2x2", "loads=4 shape=3x3", "shape=6x6"},
			"sell_diagonals": {"turn=3", "turn=4", "turn=5", "turn=7", "turn=9"},
		} {
			for i, p := range settings {
				precision := []kernels.Precision{kernels.Float32, kernels.Float64}[i%2]
				checkExact(t, e, m, kernels.Config{Kernel: kernel, Precision: precision, Block: 64, Grid: 3, Params: p}, int64(i))
			}
		}
	}
}

// integers is m with small integers for values.
func integers(m *structure) *structure {
	whole := *m
	whole.Val = make([]float64, m.NNZ())
	for i := range whole.Val {
		whole.Val[i] = float64(i%7 - 3)
	}
	return &whole
}
