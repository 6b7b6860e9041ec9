package cuda

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"spmvtune/kernels"
	"spmvtune/sparse/reorder"
)

var regen = flag.Bool("regen", false, "write testdata/layouts.txt")

// The number of a kernel in layouts rises when what its recipe packs or launches changes: trials from before
// are then other kernels'. Go code that packs the same may move.
func TestLayouts(t *testing.T) {
	const file = "testdata/layouts.txt"
	matrices := corners()
	matrices["many columns"] = randomRows(30, 30_000, 2500, 5)
	matrices["long rows"] = rowsOfLength(10, 9000, 0, 8193, 8192, 30_001, 1)
	if os.Getenv("LARGE") != "" {
		matrices["large"] = randomRows(150_000, 20, 12, 5)
		matrices["large2"] = randomRows(3000, 40_000, 900, 5)
	}
	var now strings.Builder
	for _, kernel := range slices.Sorted(maps.Keys(recipes)) {
		h := sha256.New()
		for _, name := range slices.Sorted(maps.Keys(matrices)) {
			for i, c := range layoutConfigs(kernel) {
				r, _, err := newRecipe(matrices[name], c, c.Precision.Bytes())
				fmt.Fprintln(h, name, i, err == nil)
				if err == nil {
					writeLayout(h, r)
				}
			}
		}
		fmt.Fprintf(&now, "%s %d %x\n", kernel, layouts[kernel], h.Sum(nil)[:8])
	}
	if *regen {
		if err := os.WriteFile(file, []byte(now.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	then, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	was := strings.Split(string(then), "\n")
	for line := range strings.SplitSeq(now.String(), "\n") {
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
	if len(was) > strings.Count(now.String(), "\n")+1 {
		t.Errorf("%s has a kernel that is gone: go test ./kernels/cuda -run TestLayouts -regen", file)
	}
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
		fmt.Fprintln(w, s.Entry, s.Grid, s.Block, s.Shared, len(s.Args))
		for _, a := range s.Args {
			_, again := seen[a.array]
			if !again {
				seen[a.array] = len(seen)
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
