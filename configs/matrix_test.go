// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/sparse/generate"
)

// Reading a sweep decides nothing about a matrix of the collection.
func TestSuiteSparse(t *testing.T) {
	for _, tt := range []struct {
		section string
		want    Matrix
	}{
		{`suitesparse = "HB/1138_bus"`, Matrix{Name: "1138_bus", Class: "1138_bus", SuiteSparse: "HB/1138_bus",
			Expand: true}},
		{"suitesparse = \"HB/1138_bus\"\nname = \"bus\"\nclass = \"grid\"\nexpand = false\ncomplex = \"real-part\"",
			Matrix{Name: "bus", Class: "grid", SuiteSparse: "HB/1138_bus", Complex: "real-part"}},
		{"suitesparse = \"Mycielski/mycielskian4\"\ngenerate = \"mycielskian\"\norder = 4",
			Matrix{Name: "mycielskian4", Class: "mycielskian", SuiteSparse: "Mycielski/mycielskian4",
				Generate: "mycielskian", Args: map[string]any{"order": int64(4)}, Expand: true}},
	} {
		m := parse(t, "[[matrix]]\n"+tt.section+"\n"+aKernel).Matrices[0]
		testkit.Check(t, reflect.DeepEqual(m, tt.want) && !m.Resolved(), "%+v, want %+v", m, tt.want)

		real := m.Downloaded("/x")
		testkit.EqualLists(t, []any{real.Resolved(), real.Path, real.Generate, real.Name}, []any{true, "/x", "", m.Name}, "downloaded")
		twin := m.AsTwin()
		testkit.Check(t, twin.Resolved() && twin.Name == m.Name+" (twin)" && twin.Class == m.Class, "%+v", twin)
	}
}

// TestFormsOfTwins: names tell the two forms of a twin apart, whoever gives them.
func TestFormsOfTwins(t *testing.T) {
	s := parse(t, aKernel+`[[matrix]]
suitesparse = "Mittelmann/rail4284"
generate = "twin"
of = "rail4284"

[[matrix]]
suitesparse = "Mittelmann/rail4284"
name = "rail"
generate = "twin"
of = "rail4284"
locality = "scattered"

[[matrix]]
generate = "twin"
of = ["cant", "rail4284"]
scale = 0.5

[[matrix]]
generate = "twin"
of = "mouse_gene"
locality = ["published", "scattered"]
`)
	var names []string
	for _, m := range s.Matrices {
		if m.SuiteSparse != "" {
			m = m.AsTwin()
		}
		names = append(names, m.Name)
	}
	want := []string{"rail4284 (twin, locality published)", "rail (twin, locality scattered)", "twin-cant-0.5",
		"twin-rail4284-0.5-published", "twin-mouse_gene-published", "twin-mouse_gene-scattered"}
	testkit.EqualLists(t, names, want, "names")
}

func names(s *Sweep) []string {
	var list []string
	for _, m := range s.Matrices {
		list = append(list, m.Name)
	}
	return list
}

func TestListsMakeFamilies(t *testing.T) {
	s := parse(t, aKernel+"[[matrix]]\nclass = \"plane\"\ngenerate = \"grid_5pt\"\nnx = [10, 20]\nny = [5, 6, 7]\n"+
		"where = \"rows < 140 and rows != 60\"\n")
	want := []string{"grid_5pt-10-5", "grid_5pt-10-7", "grid_5pt-20-5", "grid_5pt-20-6"}
	testkit.EqualLists(t, names(s), want, "names")

	for _, m := range s.Matrices {
		testkit.Equal(t, m.Class, "plane", "%s is of class", m.Name)
	}
}

// What is measured first must not be all of one section, must be the same in each run,
// and must not change when a matrix is added.
func TestShuffledOrder(t *testing.T) {
	text := func(ny string) string {
		return fmt.Sprintf("[search]\norder = \"shuffled\"\n%s[[matrix]]\ngenerate = \"grid_5pt\"\n"+
			"nx = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\nny = [%s]\n"+
			"[[matrix]]\ngenerate = \"triangular\"\nnx = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\nny = [%s]\n", aKernel, ny, ny)
	}
	few, more := names(parse(t, text("5"))), names(parse(t, text("5, 6")))
	kept := slices.DeleteFunc(slices.Clone(more), func(name string) bool { return strings.HasSuffix(name, "-6") })

	testkit.EqualLists(t, few, kept, "with more matrices the order is another one")
	grids := 0

	for _, name := range few[:10] {
		if strings.HasPrefix(name, "grid") {
			grids++
		}
	}

	if grids < 2 || grids > 8 {
		t.Errorf("%d of the first 10 are grids: %v", grids, few[:10])
	}
}

// The corpus is what its first lines promise, and so is a part of it.
func TestCorpus(t *testing.T) {
	s := testkit.Must(Load("corpus"))
	n := len(s.Matrices)
	testkit.Check(t, n >= 330, "%d matrices", n)

	const tenth = 10
	first := map[string]bool{}
	all, rectangular, large, test := map[string]int{}, 0, 0, 0
	shortest, longest := 1e9, 0.0

	for i, m := range s.Matrices {
		size := testkit.Must(generate.Plan(m.Generate, m.Args))
		testkit.Check(t, size.NNZ >= 9_000 && size.NNZ <= 110_000_000, "%s has %d nonzeros", m.Name, size.NNZ)

		all[m.Class]++
		if i < 3*n/tenth {
			first[m.Class] = true
		}
		mean := float64(size.NNZ) / float64(size.Rows)
		shortest, longest = min(shortest, mean), max(longest, mean)
		if size.Rows != size.Cols {
			rectangular++
		}

		if size.NNZ > 30_000_000 {
			large++
		}
		if slices.Contains(s.Learn.Test, m.Class) {
			test++
		}
	}

	if len(all) < 60 || len(first) < len(all)*8/10 {
		t.Errorf("%d classes, %d of them among the first matrices", len(all), len(first))
	}
	if shortest > 1 || longest < 9_000 || rectangular < n/tenth || large > tenth {
		t.Errorf("rows of %v to %v, %d rectangular, %d large", shortest, longest, rectangular, large)
	}

	testkit.Check(t, test >= n/tenth && test <= n/4, "%d of %d are for the final test", test, n)
	for class, k := range all {
		testkit.Check(t, k >= 3 && k <= 10, "%d matrices of class %s", k, class)
	}
}

func TestLearnOfStoredText(t *testing.T) {
	text := minimal + "[learn]\ntest = [\"mycielskian\"]\n"
	want := []string{"mycielskian"}
	testkit.EqualLists(t, parse(t, text).Learn.Test, want, "a sweep")

	testkit.EqualLists(t, LearnOf([]byte(text)).Test, want, "its text")
	for _, other := range []string{minimal, "not TOML", "[learn]\ntest = 3"} {
		testkit.Equal(t, len(LearnOf([]byte(other)).Test), 0, "%q: classes of the test", other)
	}
}
