// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/testing/testkit"
)

// The figures of docs/rule.md are those that the embedded rule with an ensemble has of itself.
func TestDocumentationOfTheEnsemble(t *testing.T) {
	page, r := page(t)
	for _, of := range []func(*Model) []Case{
		func(s *Model) []Case { return s.Validation.Cases }, func(s *Model) []Case { return s.Test.Cases },
		func(s *Model) []Case { return alone(s.Validation.Cases) },
	} {
		for _, selector := range []Selector{Learned, LearnedTop3, ByTree, SingleConfig, SingleKernel, CuSPARSE} {
			line := "| " + selector.Name
			for i := range r.Models {
				f := Summarise(of(&r.Models[i]), selector.Of)
				line += fmt.Sprintf(" | %.3f | %.3f | %s", f.Mean, f.Worst, term.Percent(f.Within5))
			}
			testkit.Says(t, "docs/rule.md", page, "\n"+line+" |\n")
		}
	}
	for i := range r.Models {
		var b bytes.Buffer
		bySize(&b, "", r.Models[i].Validation.Cases)
		_, table, _ := strings.Cut(b.String(), "\n\n")
		testkit.Says(t, "docs/rule.md", page, strings.TrimSpace(table)+"\n")
	}
}

// The data that the rule was learned from are those whose digests docs/rule.md gives, and teach it again.
func TestRuleOfKeptData(t *testing.T) {
	page, _ := page(t)
	var obs []Observation
	opt := DefaultOptions
	opt.Ensemble = true
	for _, name := range []string{"h200-data.json.gz", "h200-strangers.json.gz"} {
		data := testkit.Must(os.ReadFile(name))
		testkit.Says(t, "docs/rule.md, digest of "+name, page, fmt.Sprintf("%x", sha256.Sum256(data)))
		read, test := kept(t, name)
		obs, opt.Test = append(obs, read...), append(opt.Test, test...)
	}

	testkit.Long(t, "it learns from 72,000 trials")
	// The data teach h200.json: spmvtune learn rule/h200-data.json.gz rule/h200-strangers.json.gz -o rule/h200.json
	testkit.Equal(t, written(t, learn(t, obs, opt).WriteJSON), string(h200), "the rule that the data teach")
}

// kept are the observations of a file, and the classes of its final test.
func kept(t *testing.T, name string) ([]Observation, []string) {
	t.Helper()
	data := testkit.Must(os.ReadFile(name))
	obs, test, err := ReadTraining(bytes.NewReader(data))
	testkit.Succeed(t, err)
	return obs, test
}

// page is docs/rule.md, and the rule of the H200, most of whose figures it has.
func page(t *testing.T) (string, *Rule) {
	t.Helper()
	text := testkit.Must(os.ReadFile("../docs/rule.md"))
	r := testkit.Must(Read(bytes.NewReader(h200)))
	return string(text), r
}

// On families left out, what chooses by default is nowhere worse than one configuration for all matrices of a class of
// sizes, though that is known in hindsight only, and than cuSPARSE.
func TestNoFixedConfigurationIsBetter(t *testing.T) {
	text, r := page(t)
	compare := func(key Key, some []Case) {
		rule := Summarise(some, Learned.Of)
		for _, other := range []Selector{FixedConfig, CuSPARSE} {
			if f := Summarise(some, other.Of); f.Matrices < rule.Matrices || rule.Matrices == 0 || f.Mean > rule.Mean {
				t.Errorf("%s: %v on %d matrices, %s %v on %d", key, rule.Mean, rule.Matrices, other.Name, f.Mean, f.Matrices)
			}
		}
	}
	for _, s := range r.Models {
		for size := range sizeClasses {
			compare(s.Key, slices.DeleteFunc(slices.Clone(s.Validation.Cases), func(c Case) bool {
				return sizeOf(c.Nonzeros) != size
			}))
		}
	}
	strangers, _ := kept(t, "h200-judge.json.gz")
	list := testkit.Must(r.EvaluateOn(strangers))
	testkit.Equal(t, len(list), len(r.Models), "models judged")
	for _, tr := range list {
		if compare(tr.Key, tr.Cases); tr.Taught > 0 || len(tr.Cases) != 26 {
			t.Errorf("%d strangers, and %d that taught", len(tr.Cases), tr.Taught)
		}
	}
	for _, s := range []Selector{Learned, LearnedTop3, FixedConfig, CuSPARSE} {
		want := fmt.Sprintf("%s %.3f and %.3f", s.Name, Summarise(list[0].Cases, s.Of).Mean, Summarise(list[1].Cases, s.Of).Mean)
		testkit.Says(t, "docs/rule.md", strings.ReplaceAll(text, "\n", " "), want)
	}
}

func TestClassesOfSizes(t *testing.T) {
	for nonzeros, want := range map[int]int{0: 0, 99_999: 0, 100_000: 1, 999_999: 1, 1_000_000: 2, 1 << 40: 2} {
		testkit.Equal(t, sizeOf(nonzeros), want, "%d nonzeros are in class", nonzeros)
	}
}
