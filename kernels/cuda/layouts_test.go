// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/reorder"
)

var regen = flag.Bool("regen", false, "write testdata/layouts.txt")

// The number of a kernel in layouts rises when what its recipe packs or launches changes: trials from before
// are then other kernels'. Go code that packs the same may move.
func TestLayouts(t *testing.T) {
	const file = "testdata/layouts.txt"
	matrices := corners()
	matrices["many columns"] = randomRows(30, 30_000, 2500, 5)
	matrices["long rows"] = rowsOfLength(10, 9000, 0, 8193, 8192, 30_001, 1)
	for _, cols := range []int{1<<14 - 1, 1 << 14, 1 << 16, 1<<16 + 1, 1 << 17, 1<<17 + 1} {
		matrices[fmt.Sprint("scattered over ", cols)] = randomRows(30, cols, 30, 5)
	}
	now := layoutsOf(matrices)
	if *regen {
		testkit.Succeed(t, os.WriteFile(file, []byte(now), 0o644))
	}
	then := testkit.Must(os.ReadFile(file))
	was := strings.Split(string(then), "\n")
	for line := range strings.SplitSeq(now, "\n") {
		kernel, _, _ := strings.Cut(line, " ")
		switch {
		case slices.Contains(was, line):
		case !strings.Contains("\n"+string(then), "\n"+kernel+" "):
			t.Errorf("%s is new: go test ./kernels/cuda -run TestLayouts -regen adds its line to %s", kernel, file)
		default:
			t.Errorf("%q is not in %s: if its arrays or launches have changed, raise the kernel's number in layouts; then "+
				"go test ./kernels/cuda -run TestLayouts -regen", line, file)
		}
	}
	if len(was) > strings.Count(now, "\n")+1 {
		t.Errorf("%s has a kernel that is gone: go test ./kernels/cuda -run TestLayouts -regen", file)
	}
}

// Cores share the packing of large matrices, and what they pack does not depend on their number.
func TestLayoutsOnAnyCores(t *testing.T) {
	testkit.Long(t, "packs large matrices by all kernels")
	matrices := map[string]*structure{
		"short rows": randomRows(40_000, 20, 12, 5), "long rows": randomRows(1000, 9000, 700, 5),
		"a long one": rowsOfLength(slices.Concat(make([]int, 20_000), []int{50_000}, slices.Repeat([]int{3}, 20_000))...),
	}
	want := ""
	for _, cores := range []int{1, 7} {
		old := runtime.GOMAXPROCS(cores)
		forget()
		now := layoutsOf(matrices)
		runtime.GOMAXPROCS(old)
		want = cmp.Or(want, now)
		testkit.Equal(t, now, want, "%d cores pack", cores)
	}
}

// layoutsOf has a line for each kernel, with a digest of its recipes for some matrices.
func layoutsOf(matrices map[string]*structure) string {
	var lines strings.Builder
	for _, kernel := range slices.Sorted(maps.Keys(recipes)) {
		h := sha256.New()
		for _, name := range slices.Sorted(maps.Keys(matrices)) {
			for i, c := range layoutConfigs(kernel) {
				r, err := newRecipe(matrices[name], c, c.Precision.Bytes())
				fmt.Fprintln(h, name, i, err == nil)
				if err == nil {
					writeLayout(h, r)
				}
			}
		}
		fmt.Fprintf(&lines, "%s %d %x\n", kernel, layouts[kernel], h.Sum(nil)[:8])
	}
	return lines.String()
}

// layoutConfigs are configurations of a kernel, some of them in another order of rows.
func layoutConfigs(kernel string) []kernels.Config {
	k, _ := kernels.Lookup(kernel)
	all := configurations(k)
	if k.Orders() {
		for i, how := range reorder.Methods {
			c := all[i%len(all)]
			c.Params = c.Params.With(kernels.Reorder, string(how))
			all = append(all, c)
		}
	}
	return all
}

// writeLayout writes what a recipe launches over which arrays, which it does not name.
func writeLayout(w io.Writer, r *recipe) {
	seen := map[string]int{}
	fmt.Fprintln(w, r.Zero, r.Window)
	for _, s := range r.Steps {
		fmt.Fprintln(w, s.Entry, s.Grid, s.Block, s.Shared, s.AtOnce, s.ForCache, len(s.Args))
		for _, a := range s.Args {
			_, again := seen[a.array]
			if !again {
				seen[a.array] = len(seen)
			}
			if a.kept {
				fmt.Fprintln(w, piecesKept(1000, 700, 0), piecesKept(1000, 2000, 100))
				continue
			}
			if a.own == nil {
				fmt.Fprintln(w, a.value, a.array)
				continue
			}
			x := a.own
			fmt.Fprintln(w, seen[a.array], len(x.Ints), len(x.Vals), x.Values, x.Bytes, x.Clear)
			if !again {
				binary.Write(w, binary.LittleEndian, x.Ints)
				binary.Write(w, binary.LittleEndian, x.Vals)
			}
		}
	}
}
