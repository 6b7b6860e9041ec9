// SPDX-License-Identifier: Apache-2.0

package code

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/sparse"
)

// known are the features by name that are numbers, but for those that are relative to the device.
func known(f *sparse.Features) map[string]float64 {
	all := map[string]float64{}
	for _, feature := range rule.Features() {
		if x := feature.Value(&rule.Subject{Features: f}); !math.IsNaN(x) && !math.IsInf(x, 0) {
			all[feature.Name] = x
		}
	}
	return all
}

// What is written in Python chooses as the rule does: by the ensemble, by the tree where it is not
// sure, by the sizes where features are not known; and it forecasts the same times.
func TestPythonAgrees(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 11))
	r := withEnsembles(rng, randomRule(rng))
	for i := range r.Models {
		for _, n := range r.Models[i].Root.Leaves() {
			n.Fraction = 0.9
			for s := range rng.IntN(12) {
				n.Speeds = append(n.Speeds, rule.Speed{Bytes: float64(20 + 10*s), GBPS: 1 + rng.Float64()})
			}
		}
	}

	var cases []map[string]float64
	var want strings.Builder
	for range 1500 {
		f := randomFeatures(rng)
		f.Rows, f.Cols, f.Nonzeros, f.ColsUsed = rng.IntN(6), rng.IntN(6), rng.IntN(6), sparse.Unknown
		cases = append(cases, known(&f))
		for i := range r.Models {
			c, err := r.Select(r.Models[i].Key, f, rule.Wanted{})
			if err != nil {
				want.WriteString("-\n")
				continue
			}
			fmt.Fprintf(&want, "%s %d %d [%s] %s %t %.6g\n", c.Kernel, c.Block, c.Grid, c.Params, c.By, c.Unsure != "",
				c.Shortlist[0].Seconds)
		}
	}
	for _, by := range []string{" ensemble false ", " features true ", " sizes true ", "-\n", " 0\n", "e-08\n"} {
		testkit.Require(t, strings.Count(want.String(), by) >= 10, "%q is hardly among the cases", by)
	}

	input := testkit.Must(json.Marshal(cases))
	dir := t.TempDir()
	save(t, dir, map[string]string{
		"learned.py": written(t, WritePython, r, "learned"),
		"main.py": `import json, sys
import learned
for f in json.load(sys.stdin):
    for s in learned._RULE["selectors"]:
        try:
            c = learned.choose(f, s["precision"], s["cache"], s["device"])
        except ValueError:
            print("-")
            continue
        params = " ".join("%s=%s" % p for p in sorted(c.params.items()))
        print("%s %d %d [%s] %s %s %.6g" % (c.kernel, c.block, c.grid, params, c.by, str(c.unsure != "").lower(), c.seconds or 0))
`})
	got := do(t, dir, input, "python3", "main.py")
	compare(t, got, want.String())
}

// What a sweep or a device is called names no encoding of the module, and stands in it in ASCII.
func TestPythonEncoding(t *testing.T) {
	for _, encoding := range []string{"utf-7", "rot13", "utf_16", "hz", "unicode_escape", "no-such"} {
		name := "naïve, coding: " + encoding + " +AAo-import os; os._exit(9)"
		module := written(t, WritePython, outside(name, name, name, "k", ""), "learned")
		if i := strings.IndexFunc(module, func(r rune) bool { return r > '~' }); i >= 0 {
			t.Errorf("%q is not ASCII", module[i:i+2])
		}
		dir := t.TempDir()
		save(t, dir, map[string]string{"learned.py": module})
		code := "import learned; print(learned.choose({'rows': 1, 'cols': 1, 'nonzeros': 1}, 'float32').kernel)"
		testkit.Equal(t, do(t, dir, nil, "python3", "-c", code), "k\n", "%s: chose", encoding)
	}
}

// The features that the module computes of a matrix in CSR are those of sparse.Analyze, with numpy and
// without, and a scipy CSR matrix is all that it takes.
func TestPythonCSR(t *testing.T) {
	r, _, err := rule.Open(rule.EmbeddedName)
	testkit.Succeed(t, err)
	dir := t.TempDir()
	save(t, dir, map[string]string{
		"learned.py": written(t, WritePython, r, "learned"),
		"main.py": `import json, sys
import learned
a = json.load(sys.stdin)
class Matrix:
    shape, indptr, indices, has_sorted_indices = a["shape"], a["offsets"], a["columns"], True
print(learned.select(Matrix, precision="float32", cache="warm").kernel)
ways = [learned.features(a["offsets"], a["shape"][1], a["columns"])]
try:
    import numpy
    ways.append(learned.features(numpy.array(a["offsets"], "int32"), a["shape"][1], numpy.array(a["columns"], "int32")))
except ImportError:
    pass
print(json.dumps(ways))
`})

	for _, spec := range []string{"grid_5pt:nx=50,ny=40", "rmat:scale=12,edge_factor=9", "giant_row:rows=3000,giant=2000",
		"uniform:rows=3000,cols=700,row_nnz=40"} {
		a := built(t, spec)
		input := testkit.Must(json.Marshal(map[string]any{"shape": []int{a.Rows, a.Cols}, "offsets": a.RowPtr,
			"columns": a.ColIdx}))
		lines := strings.Split(strings.TrimSpace(do(t, dir, input, "python3", "main.py")), "\n")
		facts := sparse.Analyze(a)
		want := known(&facts)

		var got []map[string]float64
		testkit.Succeed(t, json.Unmarshal([]byte(lines[1]), &got))
		for _, f := range got {
			_, ok := f["neighbour_rate"]
			testkit.Check(t, ok, "%s: the columns tell nothing", spec)
			for name, x := range f {
				testkit.Near(t, x, want[name], 1e-9*max(1, want[name]), "%s: %s", spec, name)
			}
		}

		facts.ColsUsed = sparse.Unknown
		c, err := r.Select(rule.Key{Precision: kernels.Float32, Cache: "warm"}, facts, rule.Wanted{})
		testkit.Check(t, err == nil && lines[0] == c.Kernel, "%s: chose %s, want %s (%v)", spec, lines[0], c.Kernel, err)
	}
}
