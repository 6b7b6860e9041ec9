package generate

import (
	"errors"
	"math"
	"strings"
	"testing"

	"spmvtune/sparse"
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
		if got := Spec(c.name, c.args); got != c.want {
			t.Errorf("got %s, want %s", got, c.want)
		}
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
		{"road", map[string]any{"rows": math.Inf(1)}, []string{"argument rows: +Inf is out of range"}},
		{"road", map[string]any{"rows": 5, "seed": int64(1 << 53)},
			[]string{"argument seed: 9007199254740992 is out of range"}},
		{"road", map[string]any{"rows": 5, "seed": uint64(math.MaxUint64)},
			[]string{"argument seed: 18446744073709551615 is out of range"}},
		{"rmat", map[string]any{"scale": 4, "a": 0.7, "b": 0.2, "c": 0.2}, []string{"a + b + c"}},
		{"uniform", map[string]any{"rows": 4, "cols": 5, "row_nnz": 6},
			[]string{"argument row_nnz: 6 is more than the 5 columns"}},
		{"fem_blocks", map[string]any{"nodes": 11},
			[]string{"argument neighbours: 20 neighbours need a band of at least 12", "reaches 10"}},
		{"giant_row", map[string]any{"rows": 4, "giant": 5}, []string{"argument giant: 5 is more than the 4 columns"}},
		{"giant_row", map[string]any{"rows": 4, "giant": 4, "row_nnz": 5},
			[]string{"argument row_nnz: 5 is more than the 4 columns"}},
		{"triangulation_dual", map[string]any{"rows": 10, "border": 5},
			[]string{"argument border: 5 is wrong for 10 triangles", "both be even"}},
		{"triangulation_dual", map[string]any{"rows": 10, "border": 2},
			[]string{"argument border: 2 is out of range", "4 to 12"}},
		{"triangulation_dual", map[string]any{"rows": 10, "border": 14},
			[]string{"argument border: 14 is out of range"}},
		{"twin", map[string]any{"of": "webbase"}, []string{`argument of: there is no "webbase"`, "webbase-1M"}},
		{"twin", map[string]any{"of": "cant", "scale": 0}, []string{"argument scale: 0 is out of range"}},
		{"mycielskian", map[string]any{"order": 20}, []string{"argument order: 20 is out of range",
			"between 2 and 19"}},

		// Too large for 32-bit indices.
		{"grid_5pt", map[string]any{"nx": 1 << 30, "ny": 1 << 30}, []string{"1152921504606846976 rows", "32-bit"}},
		{"grid_5pt", map[string]any{"nx": 30000, "ny": 20000}, []string{"2999900000 nonzeros", "32-bit"}},
		{"triangular", map[string]any{"nx": 1 << 20, "ny": 1 << 20}, []string{"1099513724929 rows"}},
		{"grid_blocks", map[string]any{"nx": 1 << 24, "ny": 1 << 24, "dof": 64}, []string{"18014398509481984 rows"}},
		{"grid_blocks", map[string]any{"nx": 2000, "ny": 2000, "dof": 64}, []string{"nonzeros"}},
		{"rmat", map[string]any{"scale": 30}, []string{"17179869184 nonzeros"}},
		{"rmat", map[string]any{"scale": 26, "symmetric": 1}, []string{"2147483648 nonzeros"}},
		{"uniform", map[string]any{"rows": sparse.MaxIndex, "cols": sparse.MaxIndex, "row_nnz": sparse.MaxIndex},
			[]string{"nonzeros"}},
		{"fem_blocks", map[string]any{"nodes": sparse.MaxIndex, "dof": 64, "neighbours": 4096, "band": 10000},
			[]string{"rows"}},
		{"road", map[string]any{"rows": sparse.MaxIndex}, []string{"nonzeros"}},
		{"giant_row", map[string]any{"rows": 1 << 30, "giant": 1}, []string{"4294967293 nonzeros"}},
		{"cliques", map[string]any{"rows": 8000, "groups": 1 << 20, "size": 1 << 20}, []string{"nonzeros"}}, // beyond int
		{"bipartite", map[string]any{"rows": 9, "cols": 9, "row_nnz": 5}, []string{"row_nnz: 5 is more than half"}},
		{"bundle_schur", map[string]any{"points": 9, "cameras": 9}, []string{"cameras: 9 are too few", "at least 10"}},
		{"kkt", map[string]any{"unknowns": 20}, []string{"row_nnz: 6 is too many for 20 unknowns; at most 5"}},
		{"fem_globals", map[string]any{"nodes": 8}, []string{"neighbours: 14 neighbours need a band of at least 8"}},
		{"nm_pruned", map[string]any{"rows": 9, "cols": 9, "m": 2, "n": 3}, []string{"n: 3 is more than the 2 weights"}},
		{"nm_pruned", map[string]any{"rows": 9, "cols": 9}, []string{"cols: 9 is no multiple of 4"}},
		{"block_pruned", map[string]any{"rows": 9, "cols": 8}, []string{"rows: 9 is no multiple of 4"}},
	} {
		_, err := Build(t.Context(), c.name, c.args)
		if err == nil {
			t.Errorf("%s%v was built", c.name, c.args)
			continue
		}

		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s%v: %q does not say %q", c.name, c.args, err, want)
			}
		}

		if check := Check(c.name, c.args); check == nil || check.Error() != err.Error() {
			t.Errorf("%s%v: Check says %v", c.name, c.args, check)
		}
	}
}

// TestArgErrors sees every mistake as a value, for those who know the line that
// the argument stands in.
func TestArgErrors(t *testing.T) {
	err := Check("grid_5pt", map[string]any{"nx": 0, "yn": 3})
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok {
		t.Fatalf("%v is one error", err)
	}

	var args []string
	for _, err := range joined.Unwrap() {
		var bad *ArgError
		if !errors.As(err, &bad) || bad.Generator != "grid_5pt" {
			t.Fatalf("%v is no *ArgError of grid_5pt", err)
		}
		args = append(args, bad.Arg)
	}

	if got := strings.Join(args, " "); got != "nx ny yn" {
		t.Errorf("mistakes in %s", got)
	}
}

// TestTable checks that defaults satisfy their own bounds.
func TestTable(t *testing.T) {
	for _, g := range Generators {
		if found, ok := Lookup(g.Name); !ok || found.Name != g.Name || g.Doc == "" || g.Class == "" {
			t.Errorf("%s: incomplete", g.Name)
		}
		for _, a := range g.Args {
			if a.Kind == Text {
				if a.Doc == "" || len(a.Choices) == 0 {
					t.Errorf("%s: argument %+v", g.Name, a)
				}
				continue
			}

			if a.Doc == "" || a.Min >= a.Max || !a.Required && (a.Default < a.Min || a.Default > a.Max) {
				t.Errorf("%s: argument %+v", g.Name, a)
			}
		}
	}
}
