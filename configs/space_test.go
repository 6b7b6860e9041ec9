// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

// expand gives the configurations of the first kernel section, one per line.
func expand(t *testing.T, section string, units int) string {
	t.Helper()
	s := parse(t, aMatrix+"[[kernel]]\n"+section)
	var lines []string
	for c := range s.Kernels[0].Expand(units) {
		lines = append(lines, c.String())
	}
	return strings.Join(lines, "\n")
}

func TestExpand(t *testing.T) {
	for _, tt := range []struct {
		name, section string
		units         int
		want          string
	}{
		{"no choice collapses", "name = [\"cpu_csr\", \"cpu_csr_merge\"]\nprecision = \"float32\"\n" +
			"block = [1, 2, 3]\ngrid = [4, 2]", 2,
			"cpu_csr float32\ncpu_csr_merge float32 grid 4\ncpu_csr_merge float32 grid 2"},
		{"auto on the processor", "name = \"cpu_csr_rows\"\nprecision = \"float64\"\nblock = 64", 3,
			"cpu_csr_rows float64 block 64 grid 1\ncpu_csr_rows float64 block 64 grid 2\n" +
				"cpu_csr_rows float64 block 64 grid 3"},
		{"auto on a GPU", "name = \"csr_vector\"\nprecision = \"float32\"\ngrid = \"auto\"", 10,
			"csr_vector float32 block 256 grid 10\ncsr_vector float32 block 256 grid 20\n" +
				"csr_vector float32 block 256 grid 40\n" +
				"csr_vector float32 block 256 grid 80\ncsr_vector float32 block 256 grid 160"},
		{"per multiprocessor", "name = \"csr_vector\"\nprecision = \"float32\"\nblock = 32\ngrid = { per_sm = [1, 3] }",
			132,
			"csr_vector float32 block 32 grid 132\ncsr_vector float32 block 32 grid 396"},
		{"duplicates", "name = [\"cpu_csr\", \"cpu_csr\"]\nprecision = [\"float64\", \"float64\", \"float32\"]", 8,
			"cpu_csr float64\ncpu_csr float32"},
		{"steps and powers", "name = \"coo_atomic\"\nprecision = \"float32\"\nblock = { from = 3, to = 10, step = 3 }",
			1,
			"coo_atomic float32 block 3\ncoo_atomic float32 block 6\ncoo_atomic float32 block 9"},
		{"powers", "name = \"coo_atomic\"\nprecision = \"float32\"\nblock = { pow2 = [256, 1024] }", 1,
			"coo_atomic float32 block 256\ncoo_atomic float32 block 512\ncoo_atomic float32 block 1024"},
		{"parameters are complete", "name = \"csr_adaptive\"\nprecision = \"float32\"\ngrid = 1\n" +
			"long_row = [\"warp\", \"block\"]\ntile = 512", 1,
			"csr_adaptive float32 block 256 grid 1 long_row=warp tile=512\n" +
				"csr_adaptive float32 block 256 grid 1 long_row=block tile=512"},
		{"default parameter", "name = \"cpu_sell\"\nprecision = \"float32\"\nblock = 4\ngrid = 1", 1,
			"cpu_sell float32 block 4 grid 1 sigma=1024"},
		{"steps of a parameter", "name = \"cpu_sell\"\nprecision = \"float32\"\nblock = 4\ngrid = 1\n" +
			"sigma = { pow2 = [1, 2] }", 1,
			"cpu_sell float32 block 4 grid 1 sigma=1\ncpu_sell float32 block 4 grid 1 sigma=2"},
	} {
		testkit.Equal(t, expand(t, tt.section, tt.units), tt.want, "%s", tt.name)
	}
}

// A section that names a kernel and nothing else must give something that can
// run, whatever the kernel.
func TestDefaultsSuitEveryKernel(t *testing.T) {
	for _, k := range kernels.Catalogue {
		s := parse(t, aMatrix+"[[kernel]]\nname = \""+k.Name+"\"\n")
		all := slices.Collect(s.Kernels[0].Expand(4))
		testkit.Check(t, len(all) != 0, "%s: nothing to run", k.Name)

		for _, c := range all {
			testkit.Succeed(t, k.Check(c))
		}
	}
}

// A configuration with the matrix as it is does not name the order of rows, so that it is the
// same trial as one of a sweep that says nothing of it.
func TestReorderIsNamedOnlyWhereAsked(t *testing.T) {
	all := slices.Collect(parse(t, aMatrix+`[[kernel]]
name = ["csr_scalar", "coo_atomic"]
block = 64
grid = 8
precision = "float32"
reorder = ["none", "rcm"]
where = 'reorder != "none" or kernel == "csr_scalar"'
`).Kernels[0].Expand(4))
	var got []string
	for _, c := range all {
		got = append(got, c.Kernel+" "+c.Params.String())
	}
	want := []string{"csr_scalar ", "csr_scalar reorder=rcm", "coo_atomic ", "coo_atomic reorder=rcm"}
	testkit.EqualLists(t, got, want, "configurations")
	space := parse(t, aMatrix+"[[kernel]]\nname = \"coo_atomic\"\nreorder = [\"none\", \"rcm\"]\n"+
		`where = 'reorder != "none"'`+"\n").Kernels[0]
	for _, c := range all[2:] {
		testkit.Equal(t, testkit.Must(space.Keep(c, 100, 50, 1000)), c.Params != "", "%v is kept", c)
	}
}

func TestKeep(t *testing.T) {
	const rows, cols, nnz = 100, 50, 1000
	config := kernels.Config{Kernel: "cpu_sell", Precision: kernels.Float32, Block: 8, Grid: 2,
		Params: kernels.Params("sigma=256")}
	for where, want := range map[string]bool{
		"":                             true,
		"block * grid >= 16":           true,
		"block * grid > 16":            false,
		"sigma == 256 and rows == 100": true,
		"sigma % block == 0":           true,
		"cols > rows || nnz != 1000":   false,
		`kernel == "cpu_sell"`:         true,
		`kernel startsWith "coo"`:      false,
		`precision in ["float64"]`:     false,
		`precision == "float64" ? false : nnz/rows > 9.5`: true,
	} {
		space := parse(t, aMatrix+"[[kernel]]\nname = \"cpu_sell\"\n").Kernels[0]
		if where != "" {
			space = parse(t, aMatrix+"[[kernel]]\nname = \"cpu_sell\"\nwhere = '''"+where+"'''\n").Kernels[0]
		}

		testkit.Equal(t, testkit.Must(space.Keep(config, rows, cols, nnz)), want, "%q", where)
		made := Space{Kernels: []string{"cpu_sell"}, Where: where} // as one that was not parsed
		testkit.Equal(t, testkit.Must(made.Keep(config, rows, cols, nnz)), want, "%q, compiled late", where)
	}
}

func TestKeepOverKernelsWithDifferentParameters(t *testing.T) {
	s := parse(t, aMatrix+"[[kernel]]\nname = [\"csr_light\", \"csr_adaptive\"]\n"+
		"where = 'width == \"8\" or tile > 512'\n")
	for _, tt := range []struct {
		kernel, params string
		want           bool
	}{
		{"csr_light", "width=8", true},      // text: it has a name among its values
		{"csr_adaptive", "tile=1024", true}, // an integer
		{"csr_light", "width=auto", false},  // tile, which it lacks, is 0
	} {
		c := kernels.Config{Kernel: tt.kernel, Params: kernels.Params(tt.params)}
		testkit.Equal(t, testkit.Must(s.Kernels[0].Keep(c, 1, 1, 1)), tt.want, "%s is kept", c)
	}
}

// A where that can't be evaluated says where it stands, and for what.
func TestKeepReportsWhatCannotBeEvaluated(t *testing.T) {
	space := parse(t, minimal+"where = \"nnz % (block - block) == 0\"\n").Kernels[0]
	_, err := space.Keep(kernels.Config{Kernel: "cpu_csr", Precision: kernels.Float32}, 9, 9, 9)
	if err == nil || !strings.HasPrefix(err.Error(), "s.toml:6: kernel.where: ") ||
		!strings.Contains(err.Error(), "cpu_csr float32") || strings.Contains(err.Error(), "\n") {
		t.Errorf("got %v", err)
	}
}

func TestNearest(t *testing.T) {
	for name, want := range map[string]string{
		"blok": "block", "Block": "block", "grids": "grid", "wher": "where", "x": "", "sigma": "", "precison": "precision",
	} {
		testkit.Equal(t, Nearest(name, kernelKeys.names()), want, "%s", name)
	}
	for name, want := range map[string]string{"cpu_crs": "cpu_csr", "GPU": "cuda", "double": "float64", "wram": "warm"} {
		testkit.Equal(t, Nearest(name, []string{"cpu_coo", "cpu_csr", "cuda", "float64", "warm"}), want, "%s", name)
	}

	testkit.Equal(t, Suggest("zzzzzz", "kernels", kernels.Names(), ""), "", "a list too long to help")
	if !slices.Contains(kernels.Names(), Nearest("csr-vectr", kernels.Names())) {
		t.Error("a dash for an underscore is not forgiven")
	}
}

// A where has nothing that can take much time or memory.
func TestWhereIsBounded(t *testing.T) {
	zero := variables(nil)
	for _, where := range []string{
		`let a = kernel + kernel; let b = a + a; b == ""`,
		`all(1..1000, all(1..1000, # > 0))`,
		`any([1, 2], # == block)`,
		`block in 1..1000000`,
		`repeat(kernel, 1000000) == ""`,
		strings.Repeat("block > 1 and ", 1000) + "true",
	} {
		testkit.Fails(t, testkit.Err(newFilter(where, zero)), "", "%.60s", where)
	}
	for _, where := range []string{`block in [32, 64] and max(block, grid) <= rows`, `kernel contains "csr" or nnz % 2 == 0`} {
		testkit.Must(newFilter(where, zero))
	}
}
