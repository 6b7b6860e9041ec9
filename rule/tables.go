// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"slices"
	"sort"
	"strings"

	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/tuner/stat"
)

// WriteEvaluation writes what docs/rule.md holds, in Markdown: for each tree of r its
// figures beside those of other selectors, and what its evaluation says, of which list has one for each.
func WriteEvaluation(w io.Writer, r *Rule, list []Evaluation) error {
	var b bytes.Buffer
	for i := range r.Models {
		s := &r.Models[i]
		fmt.Fprintf(&b, "## %s\n\n", s.Key)
		if len(s.Validation.Cases) == 0 {
			fmt.Fprintf(&b, "Learned from a single matrix, %s: there is nothing to leave out.\n\n",
				term.Count(s.Configs, "configuration", "configurations"))
		} else {
			fmt.Fprintf(&b, "Learned from %s of %s, %s each; a tree with %s.\n\n",
				term.Count(len(s.Validation.Cases), "matrix", "matrices"), term.Count(s.Validation.Families, "class",
					"classes"),
				term.Count(s.Configs, "configuration", "configurations"), term.Count(len(s.Root.Leaves()), "leaf", "leaves"))
			if s.Noise != "" {
				b.WriteString(s.Noise + "\n\n")
			}
			comparison(&b, fmt.Sprintf("On matrices left out, %s at a time", s.Validation.unit()), s.Validation.Cases, Selectors)
			single := alone(s.Validation.Cases)
			comparison(&b, fmt.Sprintf("Of them, %s of no class but their own", term.Matrices(len(single))), single, Selectors)
		}

		if s.Test.Matrices > 0 {
			comparison(&b, fmt.Sprintf("Final test, %s of %s that taught nothing", term.Count(s.Test.Matrices, "matrix",
				"matrices"), term.Count(s.Test.Families, "class", "classes")), s.Test.Cases, Selectors)
		}
		bySize(&b, "By size, on matrices left out", s.Validation.Cases)
		s.byClass(&b)

		list[i].tables(&b)

		b.WriteString("### The tree\n\n```\n")
		s.Root.text(&b, "")
		b.WriteString("```\n\n")
	}
	_, err := w.Write(b.Bytes())
	return err
}

// alone are the cases of matrices that no class is named of, if others have one: real ones, in a corpus of
// generated ones.
func alone(cases []Case) []Case {
	list := slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return c.Class != "" && c.Class != c.Matrix })
	if len(list) == len(cases) {
		return nil
	}
	return list
}

// sizeClasses are the numbers of nonzeros that classes of sizes begin with.
var sizeClasses = []int{0, 100_000, 1_000_000}

// sizeOf is the place of the class of sizes that a number of nonzeros is in.
func sizeOf(nonzeros int) int {
	return max(0, sort.SearchInts(sizeClasses, nonzeros+1)-1)
}

// A bundle is cases that have something in common.
type bundle struct {
	name  string
	cases []Case
}

// bundled says how selectors do on each bundle.
func bundled(b *bytes.Buffer, title, first string, selectors []Selector, list []bundle) {
	columns := first + " | matrices"
	for _, selector := range selectors {
		columns += " | " + selector.Name + " | worst"
	}
	markdown(b, title, columns, list, func(l bundle) string {
		cells := fmt.Sprintf("%s | %d", l.name, Summarise(l.cases, Learned.Of).Matrices)
		for _, selector := range selectors {
			if f := Summarise(l.cases, selector.Of); f.Matrices > 0 {
				cells += fmt.Sprintf(" | %.3f | %.3f", f.Mean, f.Worst)
			} else {
				cells += " | – | –"
			}
		}
		return cells
	})
}

// knownOf are the selectors that are known of some cases.
func knownOf(cases []Case, selectors ...Selector) []Selector {
	return slices.DeleteFunc(selectors, func(selector Selector) bool { return Summarise(cases, selector.Of).Matrices == 0 })
}

// bySize says how the rule does on matrices left out of each class of sizes, and the mean over these classes: in a
// corpus with more small matrices than large ones each size counts alike.
func bySize(b *bytes.Buffer, title string, cases []Case) {
	if !slices.ContainsFunc(cases, func(c Case) bool { return c.Nonzeros > 0 }) {
		return // a rule of an older version does not know
	}
	var sizes []bundle
	for i, from := range sizeClasses {
		some := slices.DeleteFunc(slices.Clone(cases), func(c Case) bool { return sizeOf(c.Nonzeros) != i })
		if len(some) > 0 {
			sizes = append(sizes, bundle{number(float64(from)), some})
		}
	}
	selectors := knownOf(cases, Learned, LearnedTop3, ByTree, FixedConfig, CuSPARSE)
	bundled(b, title, "nonzeros from", selectors, sizes)

	b.Truncate(b.Len() - 1)
	b.WriteString("| mean over sizes | |")
	for _, selector := range selectors {
		var mean stat.GeometricMean
		worst := 1.0
		for _, size := range sizes {
			if f := Summarise(size.cases, selector.Of); f.Matrices > 0 {
				mean.Add(f.Mean)
				worst = min(worst, f.Worst)
			}
		}
		fmt.Fprintf(b, " %.3f | %.3f |", mean.Value(), worst)
	}
	b.WriteString("\n\n")
}

// markdown writes a table, if it has rows; columns after the first are aligned to the right.
func markdown[T any](b *bytes.Buffer, title, columns string, rows []T, cells func(T) string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(b, "### %s\n\n| %s |\n| --- |%s\n", title, columns, strings.Repeat(" ---: |", strings.Count(columns, " | ")))
	for _, row := range rows {
		fmt.Fprintf(b, "| %s |\n", cells(row))
	}
	b.WriteByte('\n')
}

// comparison compares selectors on some cases, if there are any.
func comparison(b *bytes.Buffer, title string, cases []Case, selectors []Selector) {
	known := knownOf(cases, slices.Clone(selectors)...)
	if len(cases) > 0 && len(known) == 0 {
		fmt.Fprintf(b, "### %s\n\nOn none of %s every kernel was tried.\n\n", title, term.Matrices(len(cases)))
	}
	markdown(b, title, "way to choose | matrices | geometric mean | worst | within 5% | worst on", known,
		func(selector Selector) string {
			f := Summarise(cases, selector.Of)
			return fmt.Sprintf("%s | %d | %.3f | %.3f | %s | %s", selector.Name, f.Matrices, f.Mean, f.Worst,
				term.Percent(f.Within5), f.WorstMatrix)
		})
}

// byClass says how the rule does on each class, when it has not seen it.
func (s *Model) byClass(b *bytes.Buffer) {
	var classes []bundle
	for _, c := range slices.Concat(s.Validation.Cases, s.Test.Cases) {
		at := slices.IndexFunc(classes, func(l bundle) bool { return l.name == c.Class })
		if at < 0 {
			at, classes = len(classes), append(classes, bundle{name: c.Class})
		}
		classes[at].cases = append(classes[at].cases, c)
	}
	if len(classes) < 2 {
		return
	}
	classes = slices.DeleteFunc(classes, func(l bundle) bool { return len(knownOf(l.cases, Learned)) == 0 })
	bundled(b, "By class, the worst matrix first", "class", knownOf(s.Validation.Cases, Learned, ByTree, CuSPARSE), classes)
}

func (e *Evaluation) tables(b *bytes.Buffer) {
	markdown(b, "Products after which the features have paid for themselves", "nonzeros from | matrices | "+
		"their time in products | preparation more (mean) | saved per product | products", e.Payback,
		func(p Payback) string {
			products := "never"
			if p.Products > 0 {
				products = number(math.Ceil(p.Products))
			}
			return fmt.Sprintf("%s | %d | %.0f | %.0f | %.1f%% | %s", number(float64(p.Nonzeros)), p.Matrices, p.Features,
				math.Round(p.Prepare)+0, 100*p.Saved, products)
		})
	if e.Times.Forecast > 0 {
		markdown(b, "Forecasts of the choice's time", "matrices left out | with a forecast | inside its interval | "+
			"nominal | median factor off", []Coverage{e.Times}, func(c Coverage) string {
			return fmt.Sprintf("%d | %d | %s | %s | %.2f", c.Matrices, c.Forecast, term.Percent(c.Inside),
				term.Percent(c.Nominal), c.Off)
		})
	}
	markdown(b, fmt.Sprintf("Below %.2f of the oracle", missed), "matrix | fraction | class | chosen", e.Missed,
		func(c Case) string {
			return fmt.Sprintf("%s | %.3f | %s | %s", c.Matrix, c.Fraction, c.Class, describe(c.Choice))
		})
}
