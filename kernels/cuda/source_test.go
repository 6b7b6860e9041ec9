// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

// A device gets the PTX for the newest architecture that it takes, and none that is newer than it.
func TestNewest(t *testing.T) {
	every := []*compiled{{compute: 60}, {compute: 80}, {compute: 90}}
	for _, test := range []struct {
		files         []*compiled
		compute, want int
	}{
		{every, 60, 60}, {every, 75, 60}, {every, 80, 80}, {every, 89, 80}, {every, 90, 90}, {every, 120, 90},
		{every[1:], 75, 0}, {every[1:], 86, 80}, {nil, 90, 0},
	} {
		got := 0
		if c := newest(test.files, test.compute); c != nil {
			got = c.compute
		}
		testkit.Equal(t, got, test.want, "of %d files, a device of %d takes the one for", len(test.files), test.compute)
	}
}

// The two precisions of a kernel are different entries of one file, which is for the architecture
// that its name says. A kernel for new devices only says so.
func TestPTX(t *testing.T) {
	for _, suffix := range []string{"_f32", "_f64"} {
		if files := entryFiles()["coo_atomic"+suffix]; len(files) != 1 || files[0].file != "ptx/coo_simple.ptx" {
			t.Errorf("coo_atomic%s is in %d files", suffix, len(files))
		}
	}
	for entry, files := range entryFiles() {
		for _, c := range files {
			testkit.Says(t, c.file, c.text, "\n.target sm_"+strconv.Itoa(c.compute)+"\n")
		}
		k, _ := kernels.Lookup(kernelOf(entry))
		least := strconv.Itoa(files[0].compute)
		if words := "compute capability " + least[:1] + "." + least[1:]; least != strconv.Itoa(leastCompute) &&
			!strings.Contains(k.Legal, words) {
			t.Errorf("%s: the catalogue says %q of %s, not that it needs %s", entry, k.Legal, k.Name, words)
		}
	}
}

// The PTX of one entry is what the file has before the first, and that entry as it stands there.
func TestOneEntry(t *testing.T) {
	begin := regexp.MustCompile(`(?m)^\.visible \.entry `)
	between := regexp.MustCompile(`(?m)^\.(global|const|extern|weak|shared|visible|func) .*`)
	for _, name := range testkit.Must(fs.Glob(ptxFiles, "ptx/*.ptx.gz")) {
		c := testkit.Must(decompress(name))
		parts := begin.Split(c.text, -1)
		for i, part := range parts[1:] {
			entry, _, _ := strings.Cut(part, "(")
			testkit.Equal(t, c.only(entry), parts[0]+".visible .entry "+strings.TrimSuffix(part, "\n")+
				map[bool]string{true: "\n"}[i == len(parts)-2], "%s of %s", entry, c.file)
			if found := between.FindString(part); found != "" {
				t.Errorf("%s has %q among its entries, which one may need", c.file, found)
			}
		}
	}
}

// What min_blocks measures is the bound alone: the code of csr_thread_row is the same with each
// and without.
func TestLaunchBoundsShareTheirCode(t *testing.T) {
	for _, form := range []string{"_f32", "_f64", "_shared_f32", "_shared_f64"} {
		want := code(t, "csr_thread_row", form)
		for _, bound := range []string{"_min1", "_min2", "_min3"} {
			testkit.Equal(t, code(t, "csr_thread_row"+bound, form), want, "csr_thread_row%s%s", bound, form)
		}
	}
}

// The kernels that carry a paper's name do what the paper credits to a later one only from
// that one on: the first ones read no memory through the read-only cache, and none prefetches.
func TestPapersForms(t *testing.T) {
	for kernel, readOnly := range map[string]bool{
		"csr_scalar": false, "csr_vector": false, "csr_warp_row_global": false, "csr_warp_row_shuffle": true,
		"csr_thread_row_v1": false, "csr_warp_row_v1": false, "csr_thread_row": true, "csr_warp_row": true,
		"csr_bins": true,
	} {
		for _, suffix := range []string{"_f32", "_f64"} {
			text := code(t, kernel, suffix)
			testkit.Equal(t, strings.Contains(text, "ld.global.nc"), readOnly,
				"%s%s reads through the read-only cache", kernel, suffix)
			testkit.Lacks(t, kernel+suffix, text, "prefetch")
		}
	}
}

var (
	boundLines = regexp.MustCompile(`\.(maxntid|minnctapersm) .*\n`)
	labels     = regexp.MustCompile(`__BB\d+_`)
)

// code is the PTX of the entry of a name with a suffix, without the name, its launch bounds and
// the number that labels and registers of a file begin with.
func code(t *testing.T, name, suffix string) string {
	t.Helper()
	file := newest(entryFiles()[name+suffix], leastCompute)
	testkit.Require(t, file != nil, "no entry %s%s", name, suffix)
	_, text, _ := strings.Cut(file.text, ".visible .entry "+name+suffix+"(")
	text, _, _ = strings.Cut(text, "\n}\n")
	text = strings.ReplaceAll(text, name+suffix, "")
	return labels.ReplaceAllString(boundLines.ReplaceAllString(text, ""), "__BB_")
}

// The times are events' as drivers give them: ticks of 32 ns in milliseconds of float32.
func TestTickIsSeen(t *testing.T) {
	ticks := func(of ...float64) (seconds []float64) {
		for _, n := range of {
			seconds = append(seconds, float64(float32(n*32e-6))/1e3)
		}
		return seconds
	}

	for _, tt := range []struct {
		times []float64
		want  float64
	}{
		{ticks(40, 42, 41, 42, 47), 32e-9},
		{ticks(40, 44, 40, 44), 128e-9}, // no finer than what was seen
		{ticks(40, 40, 40), 5e-7},
		{ticks(40, 90), 5e-7},
		{[]float64{1e-6, 1e-6 + 1e-13, 1e-6 + 32e-9}, 32e-9},
	} {
		testkit.Near(t, tick(tt.times, 5e-7), tt.want, 1e-12, "the tick of %v", tt.times)
	}
}

// An entry gets the sizes, the arrays of its format, x and y, and is launched as its section says.
func TestOwnRecipe(t *testing.T) {
	m := &structure{Rows: 3, Cols: 5, RowPtr: []int32{0, 2, 2, 4}, ColIdx: []int32{0, 4, 1, 2}, Val: make([]float64, 4)}
	o := kernels.Custom{Launch: "(rows + block - 1) / block * lanes", Shared: "block * value_bytes"}
	o.Name = "mine"
	o.Params = []kernels.Param{{Name: "lanes", Values: []string{"2"}, Default: "2"}}
	c := kernels.Config{Kernel: "mine", Precision: kernels.Float64, Block: 2}

	for format, arrays := range map[kernels.Format][]string{
		kernels.CSR:  {rowPtr, colIdx, val},
		kernels.COO:  {rowIdx, colIdx, val},
		kernels.SELL: {"own_chunks", "own_rows", "own_columns", "own_values"},
	} {
		o.Format = format
		if format == kernels.SELL {
			o.Params = append(o.Params, kernels.Param{Name: "chunk", Values: []string{"2"}, Default: "2"},
				kernels.Param{Name: "sigma", Values: []string{"3"}, Default: "3"})
		}
		r := testkit.Must(customRecipe(o, m, c))

		s := r.Steps[0]
		testkit.EqualLists(t, []any{s.Entry, s.Grid, s.Block, s.Shared}, []any{"own.mine", 4, 2, 16}, "%s", format)
		want := []arg{num(3), num(5), num(4)}
		for _, name := range append(arrays, vecX, vecY) {
			want = append(want, ptr(name))
		}
		same := func(a, b arg) bool { return a.array == b.array && a.value == b.value }
		testkit.Check(t, slices.EqualFunc(s.Args, want, same), "%s: arguments %v, want %v", format, s.Args, want)
		if format == kernels.SELL { // rows by length within windows of 4, then 2 chunks of 2 columns
			testkit.EqualLists(t, s.Args[4].own.Ints, []int32{0, 2, 1}, "rows are in the order")
		}
	}
}

func TestOwnRecipeLimits(t *testing.T) {
	o := kernels.Custom{Launch: "rows * 1000000000", Shared: "0"}
	c := kernels.Config{Precision: kernels.Float32, Block: 32}
	testkit.Must(customRecipe(o, oneRow(2), c))
	m := &structure{Rows: 4, Cols: 1, RowPtr: make([]int32, 5)}
	testkit.Fails(t, testkit.Err(customRecipe(o, m, c)), "blocks: ", "too many blocks")

	o.Launch = "rows"
	for _, zero := range []bool{false, true} { // y is zeroed by the device: an empty product launches nothing
		o.Zero = zero
		r, err := customRecipe(o, m, c)
		testkit.Check(t, err == nil && r.Steps[0].Grid == 0 == zero && r.Zero == zero, "zero = %v: %+v, %v", zero, r, err)
	}
}
