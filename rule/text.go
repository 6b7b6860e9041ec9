// SPDX-License-Identifier: Apache-2.0

package rule

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.org/spmvtune/internal/base/term"
)

const (
	width   = 88 // of running text
	members = 6  // matrices named at a leaf
	listed  = 12 // matrices left out that are listed, worst first
)

// WriteText writes r for people: for each device, precision and cache state the
// warnings, the tree, and how it does on matrices left out. Equal rules give
// equal bytes. No name in it can make a terminal obey.
func (r *Rule) WriteText(w io.Writer) error {
	var b bytes.Buffer
	b.WriteString("Which kernel for which matrix")
	if r.Sweep != "" {
		b.WriteString(", learned from " + r.Sweep)
	}

	b.WriteString(r.products() + "\n")
	for i := range r.Models {
		r.Models[i].text(&b)
	}
	if _, err := term.Escaped(w).Write(b.Bytes()); err != nil {
		return fmt.Errorf("writing rule: %w", err)
	}
	return nil
}

func (s *Model) text(b *bytes.Buffer) {
	title := s.Key.String()
	fmt.Fprintf(b, "\n\n%s\n%s\n\n", title, strings.Repeat("=", len([]rune(title))))
	caveats := s.Warnings
	if s.Noise != "" {
		caveats = append(slices.Clone(caveats), s.Noise)
	}
	for _, caveat := range caveats {
		b.WriteString(wrap("! ", caveat))
	}

	if len(caveats) > 0 {
		b.WriteByte('\n')
	}
	s.Root.text(b, "")
	if used := s.Root.used(); len(used) > 0 {
		b.WriteByte('\n')
		for _, f := range features {
			if used[f.Name] {
				fmt.Fprintf(b, "%s: %s\n", f.Name, f.Doc)
			}
		}
	}
	s.Validation.text(b, s)
}

// text draws the tree, a branch for each side of a test.
func (n *Node) text(b *bytes.Buffer, indent string) {
	if n.Leaf() {
		fmt.Fprintf(b, "%s%s\n", indent, describe(*n.Choice))
		fmt.Fprintf(b, "%s  %s of the oracle on %s: %s\n", indent, term.Percent(n.Fraction),
			term.Count(len(n.Matrices), "matrix", "matrices"),
			term.Some(n.Matrices, members))
		return
	}

	f := features[places[n.Feature]]
	fmt.Fprintf(b, "%s├─ %s\n", indent, condition(n.Feature, n.Threshold, f.Unit, false))
	n.Below.text(b, indent+"│  ")
	fmt.Fprintf(b, "%s└─ %s\n", indent, condition(n.Feature, n.Threshold, f.Unit, true))
	n.Above.text(b, indent+"   ")
}

// text gives the figures as a small table, and the cases that go worst.
func (v *Validation) text(b *bytes.Buffer, s *Model) {
	if len(v.Cases) == 0 {
		b.WriteString("\nNot validated: there is no other matrix to learn from.\n")
		return
	}
	if v.Partial > 0 {
		b.WriteString("\n" + wrap("", fmt.Sprintf("%d of %s left out are not judged: a kernel that was tried elsewhere was "+
			"not tried there.", v.Partial, term.Count(len(v.Cases), "matrix", "matrices"))))
	}
	if v.Matrices == 0 {
		return
	}
	fmt.Fprintf(b, "\nOn matrices left out (%d, %s at a time), as share of the oracle's speed:\n\n", v.Matrices,
		v.unit())
	figuresText(b, v.Cases)

	if s.Test.Matrices > 0 {
		fmt.Fprintf(b, "\nOn %s that taught the rule nothing (%s):\n\n",
			term.Count(s.Test.Families, "family", "families"), term.Count(s.Test.Matrices, "matrix", "matrices"))
		figuresText(b, s.Test.Cases)
	}

	b.WriteByte('\n')
	b.WriteString(wrap("", fmt.Sprintf("The oracle is the best of %s, measured on each matrix; the mean is geometric. "+
		"Over all matrices the best single configuration is %s, the best single kernel %s. Either was chosen anew "+
		"without the matrix left out; "+
		"the kernel's block and grid were then tuned on it, which no rule can do.",
		term.Count(s.Configs, "configuration", "configurations"), describe(s.Single), s.SingleKernel)))

	if s.Pruned != "" || !s.Root.Leaf() {
		b.WriteByte('\n')
		b.WriteString(wrap("", "A tree is pruned as far as it does no worse on families left out. "+
			"The first row also judges this: each family was left out first, and how far to prune was decided among "+
			"the others, "+
			"so that it may have been decided otherwise than for the rule above."))
	}

	b.WriteByte('\n')
	wide := 0
	judged := slices.DeleteFunc(slices.Clone(v.Cases), func(c Case) bool { return c.Partial })
	worst := judged[:min(listed, len(judged))]
	for _, c := range worst {
		wide = max(wide, len([]rune(c.Matrix)))
	}
	for _, c := range worst {
		note := ""
		if c.Evidence != Measured {
			note = " (" + string(c.Evidence) + ")"
		}
		fmt.Fprintf(b, "  %-*s %7s  %s%s\n", wide, c.Matrix, term.Percent(c.Fraction), describe(c.Choice), note)
	}

	if rest := len(judged) - listed; rest > 0 {
		fmt.Fprintf(b, "  and %d more, none worse\n", rest)
	}
}

// figuresText gives a row for each selector that is known of some case.
func figuresText(b *bytes.Buffer, cases []Case) {
	const form = "  %-40s %7s %7s %10s  %s\n"
	fmt.Fprintf(b, form, "", "mean", "worst", "within 5%", "worst on")
	for _, selector := range knownOf(cases, slices.Clone(Selectors)...) {
		f := Summarise(cases, selector.Of)
		name := selector.Name
		if f.Matrices < Summarise(cases, Learned.Of).Matrices {
			name += fmt.Sprintf(" (%d)", f.Matrices)
		}
		fmt.Fprintf(b, form, name, term.Percent(f.Mean), term.Percent(f.Worst), term.Percent(f.Within5), f.WorstMatrix)
	}
}

// unit says what is left out at a time.
func (v *Validation) unit() string {
	switch {
	case v.Parts < v.Families:
		return fmt.Sprintf("in %d parts, a class", v.Parts)
	case v.Families < len(v.Cases):
		return "one class"
	}
	return "one"
}

// wrap breaks text into lines. The first begins with prefix, the others with as many spaces.
func wrap(prefix, text string) string {
	return prefix + term.Wrap(text, width-len(prefix), strings.Repeat(" ", len(prefix))) + "\n"
}

// few is the number of matrices below which a rule says that it knows little.
const few = 10

// warnings says what the data behind a model can't support.
func warnings(t *table, s *Model, unmeasured []string) []string {
	var out []string
	add := func(when bool, format string, args ...any) {
		if when {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	n := len(t.names)
	add(s.Thin() != "", "%s", s.Thin())
	alone, shared, unnamed := t.classSizes()
	add(n > 1 && unnamed > 0, "%d of %d matrices have no class: set class = \"…\" in the sweep to say which of them are "+
		"relatives.", unnamed, n)
	add(n > 1 && len(alone) > 0, "Classes with a single matrix: %s. How the rule does on another matrix of these "+
		"classes is not known.", term.Some(alone, 12))
	add(n > 1 && len(shared) > 0 && s.Validation.Families == n, "All matrices are of class %s: leaving one out leaves "+
		"its relatives in. On another class the rule may do worse than its figures.", term.Some(shared, 12))
	add(len(unmeasured) > 0, "Not used, because they have no verified measurement: %s.", term.Some(unmeasured, 12))
	add(len(t.unknown) > 0, "Not split on, because they are not known of all matrices: %s. Matrices recorded by an "+
		"older version get them when a sweep uses them again.", term.Some(t.unknown, 12))

	gaps, pairs := make(map[Evidence]int), n*len(t.configs)
	for _, e := range slices.Concat(t.evidence...) {
		gaps[e]++
	}
	add(gaps[Near] > 0, "Not tried: %d of %d pairs of matrix and configuration. Each was charged a little more than the "+
		"kernel's nearest configuration that was tried on the matrix.", gaps[Near], pairs)
	add(gaps[Absent] > 0, "Not tried with any configuration of the kernel: %d of %d pairs of matrix and configuration. "+
		"They were charged as slow.", gaps[Absent], pairs)
	add(gaps[Failed] > 0, "Failed: %d of %d pairs of matrix and configuration. They were charged as slow.", gaps[Failed],
		pairs)
	return append(out, s.doubts()...)
}

// Thin says that the model was learned from few matrices; "": it was not.
func (s *Model) Thin() string {
	switch n := len(s.Validation.Cases); {
	case n < 2:
		return "Learned from a single matrix: the rule only repeats the best choice there, and nothing shows how it does elsewhere."
	case n < few:
		return fmt.Sprintf("Learned from only %d matrices: treat the choices as a first guess, and the figures for "+
			"matrices left out as rough.", n)
	}
	return ""
}

// doubts say how uncertain the figures of a tree are.
func (s *Model) doubts() []string {
	var out []string
	v := s.Validation
	guessed := slices.DeleteFunc(slices.Clone(v.Cases), func(c Case) bool { return c.Evidence == Measured })
	if len(guessed) > 0 {
		out = append(out, fmt.Sprintf("On %d of %d matrices left out, the choice was not measured, and its figure is an "+
			"estimate.", len(guessed), len(v.Cases)))
	}
	tree := Summarise(v.Cases, whatTree.Of).Mean
	switch {
	case s.Pruned != "":
		return append(out, s.Pruned)
	case s.Root.Leaf():
		return append(out, "No split paid: the rule is a single configuration for all matrices.")
	case v.Matrices > 0 && tree <= v.SingleConfig:
		return append(out, fmt.Sprintf("Whether the tree pays is uncertain: on matrices left out it reaches %s of the "+
			"oracle's speed, and one configuration for all matrices %s.", term.Percent(tree), term.Percent(v.SingleConfig)))
	}
	return out
}

// classSizes lists the named classes with one matrix, and with several, and counts the matrices
// without a class. A sweep uses the name of a matrix without a class as its class; but a few of
// those may be meant, and are listed.
func (t *table) classSizes() (alone, shared []string, unnamed int) {
	count := make(map[string]int)
	for _, class := range t.classes {
		count[class]++
	}
	unnamed = count[""]
	var own []string
	for m, class := range t.classes {
		if class == t.names[m] && count[class] == 1 {
			own = append(own, class)
		}
	}
	if n := unnamed + len(own); n > few || n == len(t.names) {
		unnamed = n
	} else {
		own = nil
	}
	for class, n := range count {
		switch {
		case class == "" || slices.Contains(own, class):
		case n == 1:
			alone = append(alone, class)
		default:
			shared = append(shared, class)
		}
	}
	slices.Sort(alone)
	slices.Sort(shared)
	return alone, shared, unnamed
}
