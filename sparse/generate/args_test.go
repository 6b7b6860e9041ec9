// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse"
)

func TestSpec(t *testing.T) {
	for _, c := range []struct {
		name string
		args map[string]any
		want string
	}{
		{"rmat", map[string]any{"scale": 18},
			"rmat(scale=18, edge_factor=16, a=0.57, b=0.19, c=0.19, symmetric=0, seed=1)"},
		{"rmat", map[string]any{"seed": int64(1<<53 - 1), "edge_factor": 12.5, "scale": uint8(3)},
			"rmat(scale=3, edge_factor=12.5, a=0.57, b=0.19, c=0.19, symmetric=0, seed=9007199254740991)"},
		{"road", map[string]any{"rows": 1e6}, "road(rows=1000000, degree=2.12, seed=1)"},
		{"giant_row", map[string]any{"rows": 10, "giant": 5, "position": math.Copysign(0, -1)},
			"giant_row(rows=10, row_nnz=4, giant=5, position=0, seed=1)"},
		{"twin", map[string]any{"of": "mac_econ_fwd500", "scale": 0.5}, "twin(of=mac_econ_fwd500, scale=0.5, seed=1)"},
		{"twin", map[string]any{"of": "rail4284"}, "twin(of=rail4284, scale=1, seed=1, locality=published)"},
		{"twin", map[string]any{"of": "rail4284", "locality": "scattered", "seed": 2},
			"twin(of=rail4284, scale=1, seed=2, locality=scattered)"},
		{"twin", map[string]any{"of": "cant", "locality": "published"}, "twin(of=cant, scale=1, seed=1)"},
		{"grid_5pt", map[string]any{"ny": "four", "nx": 3}, "grid_5pt(nx=3, ny=four)"}, // refused, shown as given
	} {
		testkit.Equal(t, Spec(c.name, c.args), c.want, "spec")
	}
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name string
		args map[string]any
		want []string // all in the error
	}{
		{"rmatt", nil, []string{`"rmatt"`, "rmat", "giant_row"}},
		{"grid_5pt", map[string]any{"nx": 3}, []string{"argument ny: missing"}},
		{"grid_5pt", map[string]any{"nx": 3, "ny": 3, "nz": 3}, []string{"argument nz: unknown", "nx, ny"}},
		{"grid_5pt", map[string]any{"nx": 0, "yn": 3}, []string{"argument nx: 0 is out of range",
			"between 1 and 1073741824", "argument ny: missing", "argument yn: unknown"}},
		{"twin", map[string]any{"of": "cant", "locality": "scattered"},
			[]string{"argument locality: cant has no scattered form"}},
		{"grid_5pt", map[string]any{"nx": 2.5, "ny": 2}, []string{"argument nx: 2.5 is no integer"}},
		{"grid_5pt", map[string]any{"nx": "2", "ny": nil},
			[]string{"argument nx: 2 is no number", "argument ny: <nil> is no number"}},
		{"road", map[string]any{"rows": 5, "degree": math.NaN()}, []string{"argument degree: NaN is out of range"}},
		{"road", map[string]any{"rows": 5, "seed": int64(1 << 53)},
			[]string{"argument seed: 9007199254740992 is out of range"}},
		{"rmat", map[string]any{"scale": 4, "a": 0.7, "b": 0.2, "c": 0.2}, []string{"a + b + c"}},
		{"uniform", map[string]any{"rows": 4, "cols": 5, "row_nnz": 6},
			[]string{"argument row_nnz: 6 is more than the 5 columns"}},
		{"fem_blocks", map[string]any{"nodes": 11},
			[]string{"argument neighbours: 20 neighbours need a band of at least 12", "reaches 10"}},
		{"giant_row", map[string]any{"rows": 4, "giant": 5}, []string{"argument giant: 5 is more than the 4 columns"}},
		{"triangulation_dual", map[string]any{"rows": 10, "border": 5},
			[]string{"argument border: 5 is wrong for 10 triangles", "both be even"}},
		{"triangulation_dual", map[string]any{"rows": 10, "border": 2},
			[]string{"argument border: 2 is out of range", "4 to 12"}},
		{"twin", map[string]any{"of": "webbase"}, []string{`argument of: there is no "webbase"`, "webbase-1M"}},

		// Too large for 32-bit indices.
		{"grid_5pt", map[string]any{"nx": 1 << 30, "ny": 1 << 30}, []string{"1152921504606846976 rows", "32-bit"}},
		{"grid_blocks", map[string]any{"nx": 1 << 24, "ny": 1 << 24, "dof": 64}, []string{"18014398509481984 rows"}},
		{"rmat", map[string]any{"scale": 26, "symmetric": 1}, []string{"2147483648 nonzeros"}},
		{"road", map[string]any{"rows": sparse.MaxIndex}, []string{"nonzeros"}},
		{"cliques", map[string]any{"rows": 8000, "groups": 1 << 20, "size": 1 << 20}, []string{"nonzeros"}}, // beyond int
		{"bipartite", map[string]any{"rows": 9, "cols": 9, "row_nnz": 5}, []string{"row_nnz: 5 is more than half"}},
		{"bundle_schur", map[string]any{"points": 9, "cameras": 9}, []string{"cameras: 9 are too few", "at least 10"}},
		{"kkt", map[string]any{"unknowns": 20}, []string{"row_nnz: 6 is too many for 20 unknowns; at most 5"}},
		{"fem_globals", map[string]any{"nodes": 8}, []string{"neighbours: 14 neighbours need a band of at least 8"}},
		{"nm_pruned", map[string]any{"rows": 9, "cols": 9, "m": 2, "n": 3}, []string{"n: 3 is more than the 2 weights"}},
		{"nm_pruned", map[string]any{"rows": 9, "cols": 9}, []string{"cols: 9 is not a multiple of 4"}},
		{"block_pruned", map[string]any{"rows": 9, "cols": 8}, []string{"rows: 9 is not a multiple of 4"}},
	} {
		_, err := Build(t.Context(), c.name, c.args)
		_, planned := Plan(c.name, c.args)
		for _, want := range c.want {
			testkit.Fails(t, err, want, "%s%v", c.name, c.args)
			testkit.Fails(t, planned, want, "%s%v, planned", c.name, c.args)
		}
	}
}

// TestArgErrors sees every mistake as a value, for those who know the line that
// the argument stands in.
func TestArgErrors(t *testing.T) {
	_, err := Plan("grid_5pt", map[string]any{"nx": 0, "yn": 3})
	joined, ok := err.(interface{ Unwrap() []error })
	testkit.Require(t, ok, "%v is one error", err)

	var args []string
	for _, err := range joined.Unwrap() {
		var bad *ArgError
		testkit.Require(t, errors.As(err, &bad) && bad.Generator == "grid_5pt", "%v is no *ArgError of grid_5pt", err)
		args = append(args, bad.Arg)
	}

	testkit.Equal(t, strings.Join(args, " "), "nx ny yn", "mistakes in")
}

// TestTable checks that defaults satisfy their own bounds.
func TestTable(t *testing.T) {
	for _, g := range Generators() {
		found, ok := Lookup(g.Name)
		testkit.Check(t, ok && found.Name == g.Name && g.Doc != "" && g.Class != "", "%s: incomplete", g.Name)
		for _, a := range g.Args {
			if a.Kind == Text {
				testkit.Check(t, a.Doc != "" && len(a.Choices) != 0, "%s: argument %+v", g.Name, a)
				continue
			}

			if a.Doc == "" || a.Min >= a.Max || !a.Required && (a.Default < a.Min || a.Default > a.Max) {
				t.Errorf("%s: argument %+v", g.Name, a)
			}
		}
	}
}

func TestParseSpec(t *testing.T) {
	for text, want := range map[string]map[string]any{
		"grid_5pt:nx=100,ny=2":                  {"nx": int64(100), "ny": int64(2)},
		"rmat( scale = 18 , edge_factor=15.5 )": {"scale": int64(18), "edge_factor": 15.5},
		"delaunay:points=1_000_000":             {"points": int64(1_000_000)},
		"delaunay:points=1e6":                   {"points": 1e6},
		"twin:of=mac_econ_fwd500,scale=0.1":     {"of": "mac_econ_fwd500", "scale": 0.1},
		"mycielskian":                           {}, "mycielskian:": {}, "mycielskian()": {},
	} {
		if _, got, err := ParseSpec(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}

	for _, text := range []string{"", ":nx=1", "(nx=1)", "g(nx=1", "g:nx", "g:nx=1,", "g:=1", "g:nx=ten",
		"g:nx=1,nx=2"} {
		name, got, err := ParseSpec(text)
		testkit.Fails(t, err, "", "%q is %s %v", text, name, got)
	}
}

// What Spec writes is read back as the same matrix.
func FuzzParseSpec(f *testing.F) {
	f.Add("rmat(scale=5, seed=3)")
	f.Add("grid_5pt:nx=10,ny=1e1")
	f.Add("twin:of=webbase-1M,scale=0.5")
	f.Add("road:rows=5,degree=2.25")
	f.Fuzz(func(t *testing.T, text string) {
		name, args, err := ParseSpec(text)
		if _, refused := Plan(name, args); err != nil || refused != nil {
			return
		}
		spec := Spec(name, args)
		again, parsed, err := ParseSpec(spec)
		testkit.Require(t, err == nil, "%s: %v", spec, err)

		testkit.Equal(t, Spec(again, parsed), spec, "%s is read as", spec)
	})
}

var regen = flag.Bool("regen", false, "write the table of generators into the documentation")

// The documentation has every generator with its arguments, as the table of generators says.
func TestDocumentation(t *testing.T) {
	var table strings.Builder
	said := map[string]string{} // of arguments, in the rows above
	for _, g := range Generators() {
		var args []string
		for _, a := range g.Args {
			text := "`" + a.Name
			if !a.Required && a.Name != "seed" && a.Name != "of" {
				text += " = " + a.Value(a.Default)
			}
			text += "`"
			if a.Name != "seed" && a.Name != "of" && said[a.Name] != a.Doc {
				text += ": " + a.Doc
				said[a.Name] = a.Doc
			}
			args = append(args, text)
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", g.Name, strings.Join(args, "; "), g.Doc)
	}

	testkit.Section(t, "../../docs/matrices.md", "| generator | arguments | what it makes |\n|---|---|---|\n", "\n\n",
		strings.TrimSuffix(table.String(), "\n"), *regen)
}

// TestTooManyNonzeros is for generators that learn their size by counting.
func TestTooManyNonzeros(t *testing.T) {
	a := assembly{rows: 3, cols: 1 << 30, length: func(int) int { return 1 << 30 }}
	testkit.Fails(t, testkit.Err(a.build(t.Context())), "2147483647 nonzeros")
}

// anything draws arguments within the bounds that a generator declares, small ones, the least and
// the largest more often than others.
func anything(g *Generator, r *rand.Rand) map[string]any {
	args := map[string]any{}
	for _, a := range g.Args {
		x := a.Min + math.Expm1(r.Float64()*math.Log1p(min(a.Max-a.Min, math.Pow(10, float64(r.IntN(7))))))
		switch k := r.IntN(12); {
		case a.Kind == Text:
			args[a.Name] = a.Choices[r.IntN(len(a.Choices))]
			continue
		case k == 0 && !a.Required:
			continue
		case k == 1:
			x = a.Min
		case k == 2:
			x = a.Max
		}

		if a.Kind == Int {
			x = math.Floor(x)
		}
		args[a.Name] = x
	}
	return args
}

// FuzzBuild plans whatever arguments the generators take, and builds the matrices that are small.
func FuzzBuild(f *testing.F) {
	for k := range Generators() {
		for seed := range 20 {
			f.Add(uint8(k), uint64(seed))
		}
	}
	f.Fuzz(func(t *testing.T, k uint8, seed uint64) {
		g := Generators()[int(k)%len(Generators())]
		args := anything(&g, rand.New(rand.NewPCG(seed, 0)))
		spec, p := Spec(g.Name, args), promised[g.Name]
		size, err := Plan(g.Name, args)
		if err != nil {
			return
		}
		testkit.Require(t, size.Rows >= 0 && size.Cols >= 0 && size.NNZ >= 0, "%s: planned %+v", spec, size)

		const most = 5000
		large := func(a Arg) bool { // points of which cameras make few rows
			x, _ := args[a.Name].(float64)
			return x > 10*most && a.Name != "seed"
		}
		if size.Rows > most || size.Cols > most || size.NNZ > 10*most || slices.ContainsFunc(g.Args, large) {
			return
		}
		m := build(t, g.Name, args)
		wellFormed(t, spec, m)
		if size.Rows != m.Rows || size.Cols != m.Cols || p.nnz == exact && size.NNZ != m.NNZ() ||
			p.nnz == atMost && size.NNZ < m.NNZ() {
			t.Fatalf("%s: planned %+v, made %v", spec, size, m)
		}
		if p.symmetric {
			isSymmetric(t, spec, m)
		}
	})
}
