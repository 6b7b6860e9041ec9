package rule

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/base/term"
	"spmvtune/internal/testing/long"
)

// The figures of docs/rule.md are those that the embedded rule has of itself.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile("../docs/rule.md")
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := Open("h100")
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Selectors) != 2 {
		t.Fatalf("%d trees, want one for each precision", len(r.Selectors))
	}

	has := func(line string) {
		t.Helper()
		if !strings.Contains(string(page), "\n"+line+"\n") {
			t.Errorf("docs/rule.md lacks %q", line)
		}
	}
	for _, of := range []func(*Selector) []Case{
		func(s *Selector) []Case { return s.Validation.Cases }, func(s *Selector) []Case { return s.Test.Cases },
	} {
		for _, way := range Ways {
			line := "| " + way.Name
			for i := range r.Selectors {
				cases := of(&r.Selectors[i])
				f := Summarise(cases, way.Of)
				if f.Matrices == 0 {
					line = ""
					break
				}
				if i == 0 && f.Matrices < len(cases) {
					line += fmt.Sprintf(" (%d matrices)", f.Matrices)
				}
				line += fmt.Sprintf(" | %.3f | %.3f | %s", f.Mean, f.Worst, term.Percent(f.Within5))
			}
			if line != "" {
				has(line + " |")
			}
		}

	}
}

// So are those of the rule with an ensemble.
func TestDocumentationOfTheEnsemble(t *testing.T) {
	page, err := os.ReadFile("../docs/rule.md")
	if err != nil {
		t.Fatal(err)
	}
	r, _, err := Open(EmbeddedName)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []func(*Selector) []Case{
		func(s *Selector) []Case { return s.Validation.Cases }, func(s *Selector) []Case { return s.Test.Cases },
		func(s *Selector) []Case { return alone(s.Validation.Cases) },
	} {
		for _, way := range []Way{Learned, LearnedTop3, Boosted, BoostedTop3, SingleConfig, SingleKernel, CuSPARSE} {
			line := "| " + way.Name
			for i := range r.Selectors {
				f := Summarise(of(&r.Selectors[i]), way.Of)
				line += fmt.Sprintf(" | %.3f | %.3f | %s", f.Mean, f.Worst, term.Percent(f.Within5))
			}
			if line += " |"; !strings.Contains(string(page), "\n"+line+"\n") {
				t.Errorf("docs/rule.md lacks:\n%s", line)
			}
		}
	}
}

// The data that the rule was learned from are those whose digests docs/rule.md gives, and teach it again.
func TestRuleOfKeptData(t *testing.T) {
	page, err := os.ReadFile("../docs/rule.md")
	if err != nil {
		t.Fatal(err)
	}
	var obs []Observation
	opt := DefaultOptions
	opt.Ensemble = true
	for _, name := range []string{"h200-data.json.gz", "h200-strangers.json.gz"} {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if digest := fmt.Sprintf("%x", sha256.Sum256(data)); !strings.Contains(string(page), digest) {
			t.Errorf("docs/rule.md lacks the digest of %s, %s", name, digest)
		}
		read, test, err := ReadKept(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		obs, opt.Test = append(obs, read...), append(opt.Test, test...)
	}

	long.Test(t, "it learns from 72,000 trials")
	var again bytes.Buffer
	if err := learn(t, obs, opt).WriteJSON(&again); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(again.Bytes(), h200) {
		t.Error("the data teach another rule than h200.json: " +
			"spmvtune learn rule/h200-data.json.gz rule/h200-strangers.json.gz -o rule/h200.json")
	}
}

// page is docs/rule.md, and the rule of the H200, most of whose figures it has.
func page(t *testing.T) (string, *Rule) {
	t.Helper()
	text, err := os.ReadFile("../docs/rule.md")
	if err != nil {
		t.Fatal(err)
	}
	r, err := Embedded()
	if err != nil {
		t.Fatal(err)
	}
	return string(text), r
}

// The page has the figures by size.
func TestDocumentationBySize(t *testing.T) {
	text, r := page(t)
	for i := range r.Selectors {
		var b bytes.Buffer
		bySize(&b, r.Selectors[i].Validation.Cases)
		_, table, _ := strings.Cut(b.String(), "\n\n")
		if !strings.Contains(text, strings.TrimSpace(table)+"\n") {
			t.Errorf("docs/rule.md lacks:\n%s", table)
		}
	}
}

// The page explains the ten largest losses of the ensemble.
func TestDocumentationOfLosses(t *testing.T) {
	text, r := page(t)
	reached := map[string][]float64{}
	for i := range r.Selectors {
		for _, c := range r.Selectors[i].Validation.Cases {
			reached[c.Matrix] = append(reached[c.Matrix], c.Ensemble)
		}
	}
	order := slices.SortedFunc(maps.Keys(reached), func(a, b string) int {
		return cmp.Compare(slices.Min(reached[a]), slices.Min(reached[b]))
	})
	for _, name := range order[:10] {
		line := fmt.Sprintf("\n| %s | %.3f | %.3f | `", name, reached[name][0], reached[name][1])
		if !strings.Contains(text, line) {
			t.Errorf("docs/rule.md lacks %q", line)
		}
	}
}

// The page says how the rule of the H100 does on the H200's data.
func TestDocumentationOfAnotherDevice(t *testing.T) {
	text, _ := page(t)
	r, _, err := Open("h100")
	if err != nil {
		t.Fatal(err)
	}
	obs, _ := h200Data(t)
	list, err := r.Judge(obs, DefaultOptions)
	if err != nil {
		t.Fatal(err)
	}
	for _, of := range []func([]Case) []Case{func(c []Case) []Case { return c }, alone} {
		for _, by := range adaptBy {
			for _, way := range []Way{Learned, LearnedTop3, BestNamed} {
				line := fmt.Sprintf("| %s | %d", way.Name, by)
				for _, tr := range list {
					if tr.Adapted == by {
						f := Summarise(of(tr.Cases), way.Of)
						line += fmt.Sprintf(" | %.3f | %.3f | %s", f.Mean, f.Worst, term.Percent(f.Within5))
					}
				}
				if !strings.Contains(text, "\n"+line+" |\n") {
					t.Errorf("docs/rule.md lacks:\n%s |", line)
				}
			}
		}
	}
}

// The page says what is lost without kernels.
func TestDocumentationOfWithout(t *testing.T) {
	text, _ := page(t)
	rows := regexp.MustCompile("\n\\| (none|`[a-z_]+`(?:, `[a-z_]+`)*) \\|( 0\\.[0-9]+ \\|){4}\n").FindAllString(
		strings.ReplaceAll(text, "\n", "\n\n"), -1)
	if len(rows) != 6 {
		t.Fatalf("docs/rule.md has %d rows of kernels left out, want 6", len(rows))
	}
	long.Test(t, "it learns from 58,000 trials")
	obs, test := h200Data(t)
	for _, row := range rows[1:2] { // one of them: each takes half a minute
		opt := DefaultOptions
		opt.Ensemble, opt.Test = true, test
		name, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(row), "| "), " |")
		for _, kernel := range strings.Split(strings.ReplaceAll(name, "`", ""), ", ") {
			if kernel != "none" {
				opt.Without = append(opt.Without, kernel)
			}
		}
		want := "| " + name
		for _, s := range learn(t, obs, opt).Selectors {
			want += fmt.Sprintf(" | %.3f | %.3f", s.Validation.Mean, Summarise(s.Validation.Cases, Boosted.Of).Mean)
		}
		if want+" |" != strings.TrimSpace(row) {
			t.Errorf("docs/rule.md has %s, want %s |", strings.TrimSpace(row), want)
		}
	}
}

// h200Data are the kept data, and the classes of their final test.
func h200Data(t *testing.T) ([]Observation, []string) {
	t.Helper()
	f, err := os.Open("h200-data.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	obs, test, err := ReadKept(f)
	if err != nil {
		t.Fatal(err)
	}
	return obs, test
}
