// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/search"
)

func TestJSONSelectsTheSame(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	opt := DefaultOptions
	opt.MaxDepth, opt.minLeaf, opt.prune, opt.Ensemble = 8, 1, false, true
	r := learn(t, messy(rng, 60), opt)
	n := len(r.Models[0].Root.Leaves())
	testkit.Require(t, n >= 8, "a tree of %d leaves shows little", n)

	first := written(t, r.WriteJSON)
	back := testkit.Must(Read(strings.NewReader(first)))
	testkit.Equal(t, written(t, back.WriteJSON), first, "written again")
	for range 5000 {
		f := randomFeatures(rng)
		want, got := chosen(t, r, f, Wanted{}), chosen(t, back, f, Wanted{})
		got.Model, want.Model = nil, nil
		testkit.Require(t, reflect.DeepEqual(got, want), "%+v: selects %+v, want %+v", f, got, want)
	}
}

// A matrix that was learned from must reach the leaf that names it: a rounded
// threshold must not move it.
func TestMatricesReachTheirLeaves(t *testing.T) {
	obs := messy(rand.New(rand.NewPCG(13, 14)), 60)
	opt := DefaultOptions
	opt.MaxDepth, opt.minLeaf = 8, 1
	r := learn(t, obs, opt)

	for _, o := range obs {
		c := chosen(t, r, *o.Features, Wanted{})
		if !strings.Contains(strings.Join(c.Matrices, " ")+" ", o.Matrix+" ") {
			t.Fatalf("%s reached the leaf of %v by %v", o.Matrix, c.Matrices, c.Path)
		}

		for _, s := range c.Path {
			testkit.Equal(t, s.Above, s.Value > s.Threshold, "step %v goes above", s)
		}
	}
}

func TestReadRefuses(t *testing.T) {
	leaf := `{"choice": {"kernel": "a", "precision": "float32", "block": 1, "grid": 1}}`
	tree := func(root string) string {
		return `{"version": 1, "sweep": "s", "selectors": [{"device": "d", "precision": "float32", "cache": "cold", "tree": ` + root + `}]}`
	}
	testkit.Must(Read(strings.NewReader(tree(leaf))))

	chain := func(end string, splits int) string {
		node := end
		for range splits {
			node = `{"feature": "rows", "threshold": 1, "below": ` + end + `, "above": ` + node + `}`
		}
		return node
	}
	ensemble := func(text string) string {
		return strings.Replace(tree(leaf), `"tree"`, `"ensemble": {"configs": [{"kernel": "a", "precision": "float32"}], `+
			text+`}, "tree"`, 1)
	}
	trees := func(change func(*Boost)) string {
		b := Boost{Scale: 1}
		for i := range b.Add {
			b.Add[i] = []int8{1}
		}
		change(&b)
		text := testkit.Must(forest{b}.MarshalJSON())
		return `"base": [0.5], "features": ["rows"], "low": [1], "high": [2], "trees": ` + string(text)
	}
	same := func(*Boost) {}
	for _, good := range []string{tree(chain(leaf, 32)), ensemble(trees(same)),
		strings.Replace(tree(leaf), `"cache": "cold"`, `"cache": ""`, 1),
		tree(`{"choice": {"kernel": "a", "precision": "float32"}, "speeds": [{"bytes": 1, "gbps": 1}, {"bytes": 1, "gbps": 2}]}`)} {
		testkit.Must(Read(strings.NewReader(good)))
	}
	named := func(old, name string) string {
		validated := strings.Replace(tree(strings.Replace(leaf, `}}`, `}, "matrices": ["m"]}`, 1)), `"tree"`,
			`"validation": {"cases": [{"matrix": "n", "class": "c"}]}, "tree"`, 1)
		return strings.Replace(validated, `"`+old+`"`, `"`+name+`"`, 1)
	}
	long := strings.Repeat("é", 209)
	for _, old := range []string{"d", "a", "m", "n", "c"} {
		testkit.Must(Read(strings.NewReader(named(old, long))))
		_, err := Read(strings.NewReader(named(old, long+"x")))
		testkit.Check(t, err != nil && len(err.Error()) <= 200, "%s of 210 characters: %v", old, err)
	}

	for _, tt := range []struct{ in, want string }{
		{``, "unexpected end"},
		{`[]`, "cannot unmarshal"},
		{`{}`, "no version"},
		{`{"version": 2}`, "version 2, this program reads version 1"},
		{`{"version": 1}`, "no tree"},
		{tree(leaf) + `x`, "after top-level value"},
		{strings.Replace(tree(leaf), `"cache"`, `"cach"`, 1), `unknown field "cach"`},
		{strings.Replace(tree(leaf), `"float32"`, `"half"`, 1), `tree 1: precision "half" is neither`},
		{strings.Replace(tree(leaf), `[`,
			`[{"device": "d", "precision": "float32", "cache": "cold", "tree": `+leaf+`},`, 1), "two trees for"},
		{tree(`null`), "a node is missing"},
		{tree(`{"feature": "beauty", "threshold": 1, "below": ` + leaf + `, "above": ` + leaf + `}`),
			`unknown feature "beauty"`},
		{tree(`{"feature": "rows", "choice": {"kernel": "a", "precision": "float32"}}`), "both a split and a leaf"},
		{tree(`{"choice": {"kernel": "a", "precision": "float64"}}`), "not a kernel in float32"},
		{tree(chain(leaf, 33)), "more than 32 splits"},
		{tree(`{"feature": "rows", "below": {"choice": {"kernel": "a", "precision": "float64"}}, "above": ` + leaf + `}`),
			"not a kernel in float32"},
		{ensemble(`"base": []`), "0 numbers for 1 configurations"},
		{strings.Replace(tree(leaf), `"tree"`, `"ensemble": {"configs": []}, "tree"`, 1), "0 numbers for 0 configurations"},
		{strings.Replace(ensemble(`"base": [0]`), `"float32"}]`, `"float64"}]`, 1), "it chooses"},
		{ensemble(strings.Replace(trees(same), `"rows"`, `"beauty"`, 1)), `unknown feature "beauty"`},
		{ensemble(strings.Replace(trees(same), `[1]`, `[]`, 1)), "0 and 1 bounds of 1 features"},
		{ensemble(trees(func(b *Boost) { b.Feature[6] = 1 })), "a tree splits on feature 2 of 1"},
		{ensemble(trees(func(b *Boost) { b.Threshold[0] = float32(math.NaN()) })), "a tree splits at NaN"},
		{ensemble(trees(func(b *Boost) { b.Scale = float32(math.Inf(1)) })), "a tree adds 1 numbers of +Inf"},
		{ensemble(strings.Replace(trees(same), `"base"`, `"times": [[], []], "base"`, 1)), "and 2 times"},
		{ensemble(strings.Replace(trees(same), `"base"`, `"times": [[{"factor": 1, "features": ["luck"]}]], "base"`, 1)), `unknown feature "luck"`},
		{ensemble(`"trees": [{"add": [1]}]`), "has to be learned again"},
		{ensemble(`"trees": "AAAA"`), "trees of an ensemble"},
		{ensemble(`"trees": ` + packed(t, make([]byte, mostForest+1))), "too large"},
		{ensemble(`"trees": ` + packed(t, append([]byte{boostDepth}, make([]byte, 9)...))), "unexpected EOF"},
		{ensemble(`"trees": ` + packed(t, []byte{boostDepth - 1})), "has to be learned again"},
		{strings.Replace(tree(leaf), `"tree"`, `"test": {"cases": [{"matrix": "m", "fraction": 1.5}]}, "tree"`, 1),
			"learned rule is at 1.5"},
		{strings.Replace(tree(leaf), `"cold"`, `"a b"`, 1), `"a b" is neither warm nor cold`},
		{tree(`{"choice": {"kernel": "a", "precision": "float32", "block": -1}}`), "a with block -1"},
		{tree(`{"choice": {"kernel": "a", "precision": "float32", "grid": 2147483648}}`), "and grid 2147483648"},
		{tree(`{"choice": {"kernel": "a", "precision": "float32"}, "next": [{"kernel": "b"}]}`),
			"not a kernel in float32"},
		{tree(`{"choice": {"kernel": "a", "precision": "float32"}, "speeds": [{"bytes": 1, "gbps": 0}]}`),
			"speed 1 of a"},
		{tree(`{"choice": {"kernel": "a", "precision": "float32"}, "speeds": [{"bytes": 2, "gbps": 1}, {"bytes": 1, "gbps": 1}]}`), "bytes rise"},
		{strings.Replace(tree(leaf), `"tree"`,
			`"tree_over_sizes": {"feature": "row_max", "below": `+leaf+`, "above": `+leaf+`}, "tree"`,
			1), "row_max, which does not follow from sizes"},
	} {
		testkit.Fails(t, testkit.Err(Read(strings.NewReader(tt.in))), tt.want, "%.80s", tt.in)
	}
}

func TestFeaturesCoverTheMatrix(t *testing.T) {
	f := sparse.UnknownFeatures()
	names := sparse.FeatureNames()
	for i, name := range names {
		testkit.Succeed(t, f.Set(name, float64(i+1)))
	}
	f.RowMaxOverMean = float64(f.RowMax) / f.RowMean
	for i, want := range f.Values() {
		if names[i] == "row_skewness" {
			continue // may be negative, and says what row_max_over_mean says
		}
		if at, ok := places[names[i]]; !ok || features[at].Value(&Subject{Features: &f}) != want {
			t.Errorf("trees can't split on %s, or not by its value", names[i])
		}
	}

	for _, feature := range Features() {
		x := feature.Value(&Subject{Features: &sparse.Features{}, Hardware: Hardware{1, 1}})
		testkit.Equal(t, x, 0, "%s of an empty matrix", feature.Name)
	}
}

// packed is what a forest of these bytes is in JSON.
func packed(t *testing.T, data []byte) string {
	t.Helper()
	var b bytes.Buffer
	z := testkit.Must(flate.NewWriter(&b, flate.BestSpeed))
	if _, err := z.Write(data); err != nil || z.Close() != nil {
		t.Fatal(err)
	}
	return `"` + base64.StdEncoding.EncodeToString(b.Bytes()) + `"`
}

// Whatever Read takes for a rule can be asked, for a matrix that is known and for one that
// is not, and its answer written.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"version": 1, "selectors": [{"device": "d", "precision": "float32",
		"tree": {"feature": "row_max", "threshold": 9, "below": {"choice": {"kernel": "a", "precision": "float32"}}, "above": {"choice": {"kernel": "b", "precision": "float32"}}},
		"ensemble": {"configs": [{"kernel": "a", "precision": "float32"}], "base": [0.1], "features": ["cols"],
			"low": [1], "high": [9], "trees": "YmBgYGBgYGBgYGBgYPgPBP///wcA"}}]}`), 1000, 5000)
	f.Add([]byte(`{"version": 1, "selectors": [{"device": "d", "precision": "float32", "tree": {"choice": {"kernel": "a", "precision": "float32"},
		"speeds": [{"bytes": 1e4, "gbps": 1}]}, "tree_over_sizes": {"choice": {"kernel": "b", "precision": "float32"}, "pace": 1e-9, "saved": 0.5}}]}`), 10, 1000)
	f.Fuzz(func(t *testing.T, text []byte, rows, nonzeros int) {
		r, err := Read(bytes.NewReader(text))
		if err != nil {
			return
		}
		testkit.Succeed(t, r.WriteText(io.Discard))

		unknown := sparse.UnknownFeatures()
		unknown.Rows, unknown.Cols, unknown.Nonzeros = max(rows, 0), max(rows, 0), max(nonzeros, 0)
		unknown.RowMean = ratio(float64(unknown.Nonzeros), float64(unknown.Rows))
		for _, features := range []sparse.Features{unknown, {Rows: rows, Cols: rows, Nonzeros: nonzeros}} {
			for _, want := range []Wanted{{}, {Products: 3}} {
				c, err := r.Select(Key{Precision: kernels.Float32}, features, want)
				if err != nil {
					continue
				}
				testkit.Must(json.Marshal(c))
			}
		}
	})
}

// The rule for a device is that of its model, or else the newest one.
func TestNameFor(t *testing.T) {
	for device, want := range map[string]string{
		"NVIDIA H100 80GB HBM3": "h100", "NVIDIA H100-SXM": "h100", "h100": "h100", "NVIDIA H200": "h200",
		"NVIDIA A30": "h200", "NVIDIA XH1000": "h200", "": "h200",
	} {
		testkit.Equal(t, NameFor(device), want, "%q", device)
	}
}

// Sweep files may name each of the rules.
func TestEmbeddedNamesOfSweeps(t *testing.T) {
	testkit.EqualLists(t, slices.Sorted(maps.Keys(embedded)), search.Rules, "the program's rules")
}

// A file that is far larger than any rule is not read.
func TestOpenIsBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rule.json")
	testkit.Succeed(t, os.WriteFile(path, bytes.Repeat([]byte("["), 17e6), 0o666))
	testkit.Fails(t, err2(OpenKnown(path)), "is larger than 16")
}

func err2[A, B any](_ A, _ B, err error) error { return err }
