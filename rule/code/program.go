// Package code writes rules as source code for other people's programs: as a C header
// (C99 and C++), as a Go file, as a module for Python, and as a table of launches for CUDA.
//
// What is written depends on nothing, allocates nothing, and follows the same tree as
// rule.Select: a feature that the tree asks for and that is not known (NaN, or infinite)
// gives no choice rather than a wrong one. Equal rules give equal bytes.
package code

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"spmvtune/kernels"
	"spmvtune/rule"
)

// A program is a rule in the form that all languages are written from.
type program struct {
	name      string
	sweep     string
	features  []rule.Feature // the features that any tree asks for
	functions []function
	hardware  rule.Hardware // that relative features are of
	mixed     bool          // the devices differ in it
	device    string
}

// A function is one tree, or an ensemble.
type function struct {
	words   []string // words of its name
	doc     []string // lines of its comment
	choices []kernels.Config
	root    *rule.Node
	// An ensemble stands in place of root; where it is not sure, the function of the tree is asked,
	// whose words are instead.
	ensemble *rule.Ensemble
	instead  []string
}

// letters are what all names of a function in C and Go have in common: the names differ where
// the letters do.
func (f *function) letters() string { return strings.ReplaceAll(strings.Join(f.words, ""), "_", "") }

// newProgram takes the trees of a rule, and its ensembles if they are asked for, under a name for
// the whole.
func newProgram(r *rule.Rule, name string, ensembles bool) *program {
	p := &program{name: identifier(name), sweep: r.Sweep}
	if len(r.Selectors) > 0 {
		p.hardware, p.device = r.Selectors[0].Hardware, r.Selectors[0].Device
	}
	devices := map[string]bool{}
	for i := range r.Selectors {
		devices[r.Selectors[i].Device] = true
		p.mixed = p.mixed || r.Selectors[i].Hardware != p.hardware
	}

	used := map[string]bool{}
	taken := map[string]bool{}
	use := func(c kernels.Config) { // what its limits ask for
		for _, l := range rule.Limits(c) {
			for _, sum := range l {
				for _, t := range sum {
					for _, name := range t.Features {
						used[name] = true
					}
				}
			}
		}
	}
	add := func(s *rule.Selector, words []string, doc []string, root *rule.Node) {
		f := function{words: words, doc: doc, root: root}
		for n := 2; taken[f.letters()]; n++ { // devices whose names differ by a sign only
			f.words = append(words[:len(words):len(words)], strconv.Itoa(n))
		}
		taken[f.letters()] = true
		visit(root, func(n *rule.Node) {
			if !n.Leaf() {
				used[n.Feature] = true
				return
			}
			for _, c := range n.Ranking() {
				use(c)
				if f.index(c) < 0 {
					f.choices = append(f.choices, c)
				}
			}
		})
		p.functions = append(p.functions, f)
	}

	for i := range r.Selectors {
		s := &r.Selectors[i]
		words := []string{string(s.Precision)}
		if s.Cache != "" {
			words = append(words, string(s.Cache))
		}

		if len(devices) > 1 {
			words = append([]string{identifier(s.Device)}, words...)
		}
		add(s, words, figures(".", s, rule.Learned), s.Root)
		tree := p.functions[len(p.functions)-1].words
		if s.Sizes != nil {
			add(s, append(words[:len(words):len(words)], "by", "sizes"),
				figures(": by rows and nonzeros alone.", s, rule.OverSizes), s.Sizes)
		}
		if e := s.Ensemble; e != nil && ensembles && len(e.Trees) > 0 {
			p.functions = append(p.functions, function{words: append(tree[:len(tree):len(tree)], "by", "ensemble"),
				doc: figures(": by the ensemble.", s, rule.Boosted), choices: e.Configs, ensemble: e, instead: tree})
			for _, name := range e.Features {
				used[name] = true
			}
			for _, c := range e.Configs {
				use(c)
			}
		}
	}

	for _, f := range rule.Features() {
		if used[f.Name] {
			p.features = append(p.features, f)
		}
	}
	return p
}

// figures say what a tree is for and how far it can be trusted.
func figures(by string, s *rule.Selector, way rule.Way) []string {
	doc := []string{s.Key().String() + by}
	v := rule.Summarise(s.Validation.Cases, way.Of)
	if v.Matrices < 2 {
		return append(doc, "Nothing shows how it does on other matrices than it was learned from.")
	}
	return append(doc,
		fmt.Sprintf("On matrices held out it reaches %.1f%% of the best of %d configurations on", 100*v.Mean,
			s.Configs),
		fmt.Sprintf("average (%d matrices, geometric mean), and %.1f%% at worst (%s).", v.Matrices, 100*v.Worst,
			v.WorstMatrix))
}

// visit calls f for each node, those below first.
func visit(n *rule.Node, f func(*rule.Node)) {
	f(n)
	if !n.Leaf() {
		visit(n.Below, f)
		visit(n.Above, f)
	}
}

// index is the number of a configuration, -1 if it is not among the choices.
func (f *function) index(of kernels.Config) int {
	return slices.IndexFunc(f.choices, func(c kernels.Config) bool { return c.String() == of.String() })
}

// identifier makes a word that C and Go take as a name.
func identifier(s string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(s) {
		switch {
		case c < 128 && (unicode.IsLetter(c) || unicode.IsDigit(c)):
			b.WriteRune(c)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "_"):
			b.WriteByte('_')
		}
	}

	name := strings.TrimSuffix(b.String(), "_")
	if name == "" || unicode.IsDigit(rune(name[0])) {
		name = "rule_" + name
	}
	return strings.TrimSuffix(name, "_")
}

// number writes a threshold so that reading it gives the same bits, as a floating-point
// constant of C and Go.
func number(x float64) string {
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

// comment makes a text from outside one that no comment of C or Go ends in: it has no asterisk,
// no backslash, and nothing that does not print.
func comment(s string) string {
	return strings.Join(strings.Fields(strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case r == '*':
			return '.'
		case r == '\\':
			return '/'
		case !unicode.IsPrint(r):
			return '?'
		}
		return r
	}, s)), " ")
}

// A pick is what a leaf leads to: a configuration, where a condition holds; "" is always. The last one
// of a leaf has no condition.
type pick struct {
	condition string
	config    kernels.Config
}

// picks are what a leaf leads to, one after the other.
func picks(leaf *rule.Node, feature func(name string) string) []pick {
	var list []pick
	for _, c := range leaf.Ranking() {
		condition := within(c, feature)
		list = append(list, pick{condition, c})
		if condition == "" {
			return list
		}
	}
	if len(list) == 1 {
		return []pick{{"", *leaf.Choice}}
	}
	return append(list, pick{"", *leaf.Choice})
}

// within is the condition, in C and Go, that a matrix is within the limits of a configuration; "": it has none.
func within(c kernels.Config, feature func(name string) string) string {
	var all []string
	for _, l := range rule.Limits(c) {
		var any []string
		for _, sum := range l {
			any = append(any, expression(sum, feature)+" <= 0")
		}
		all = append(all, "("+strings.Join(any, " || ")+")")
	}
	return strings.Join(all, " && ")
}

// expression is a sum as an expression of C and Go, in the order in which it is computed here.
func expression(sum kernels.Sum, feature func(name string) string) string {
	terms := make([]string, len(sum))
	for i, t := range sum {
		factors := []string{number(t.Factor)}
		for _, name := range t.Features {
			factors = append(factors, feature(name))
		}
		terms[i] = strings.Join(factors, "*")
	}
	return strings.Join(terms, " + ")
}

// cLegal writes the array that says which choices of an ensemble are legal.
func (f *function) cLegal(b *bytes.Buffer) {
	fmt.Fprintf(b, "    const int legal[] = {%s};\n", listed(len(f.choices), func(i int) string {
		if condition := within(f.choices[i], pointed); condition != "" {
			return condition
		}
		return "1"
	}))
}

// pointed is a feature of the structure in C.
func pointed(name string) string { return "f->" + name }
