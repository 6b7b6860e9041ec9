package rule

import (
	"fmt"
	"slices"

	"spmvtune/internal/base/term"
)

// few is the number of matrices below which a rule says that it knows little.
const few = 10

// warnings says what the data behind a selector can't support.
func warnings(t *table, s *Selector, unmeasured []string) []string {
	var out []string
	add := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	n := len(t.names)
	switch {
	case n == 1:
		add("Learned from a single matrix, %s: the rule only repeats the best choice there, and nothing shows how it "+
			"does elsewhere.", t.names[0])
	case n < few:
		add("Learned from only %d matrices: treat the choices as a first guess, and the figures for matrices left "+
			"out as rough.", n)
	}

	if alone, shared, unnamed := t.classSizes(); n > 1 {
		if unnamed > 0 {
			add("%d of %d matrices have no class: set class = \"…\" in the sweep to say "+
				"which of them are relatives.", unnamed, n)
		}
		if len(alone) > 0 {
			add("Classes with a single matrix: %s. How the rule does on another matrix of these classes is not "+
				"known.", term.Some(alone, 12))
		}

		if len(shared) > 0 && s.Validation.Families == n {
			add("All matrices are of class %s: leaving one out leaves its relatives in. On another class the rule "+
				"may do worse than its figures.", term.Some(shared, 12))
		}
	}

	if len(unmeasured) > 0 {
		add("Not used, because they have no verified measurement: %s.", term.Some(unmeasured, 12))
	}
	if len(t.unknown) > 0 {
		add("Not split on, because they are not known of all matrices: %s. Matrices recorded by an older version "+
			"get them when "+
			"a sweep uses them again.", term.Some(t.unknown, 12))
	}

	t.warnGaps(add)
	warnTree(add, s)
	return out
}

// warnGaps says for how many configurations a time had to be assumed.
func (t *table) warnGaps(add func(format string, args ...any)) {
	near, absent, failed := t.gaps()
	pairs := len(t.names) * len(t.configs)
	if near > 0 {
		add("Not tried: %d of %d pairs of matrix and configuration. Each was charged a little more than the "+
			"kernel's nearest configuration that was tried on the matrix.", near, pairs)
	}

	if absent > 0 {
		add("Not tried with any configuration of the kernel: %d of %d pairs of matrix and configuration. They "+
			"were charged as slow.", absent, pairs)
	}
	if failed > 0 {
		add("Failed: %d of %d pairs of matrix and configuration. They were charged as slow.", failed, pairs)
	}
}

// warnTree says how uncertain the figures of a tree are.
func warnTree(add func(format string, args ...any), s *Selector) {
	v := s.Validation
	guessed := 0
	for _, c := range v.Cases {
		if c.Evidence != Measured {
			guessed++
		}
	}

	if guessed > 0 {
		add("On %d of %d matrices left out, the choice was not measured, and its figure is an estimate.",
			guessed, len(v.Cases))
	}
	switch {
	case s.Pruned != "":
		add("%s", s.Pruned)
	case s.Root.Leaf():
		add("No split paid: the rule is a single configuration for all matrices.")
	case v.Matrices > 0 && v.Mean <= v.SingleConfig:
		add("Whether the tree pays is uncertain: on matrices left out it reaches %s of the oracle and always %s "+
			"%s, but "+
			"the whole procedure, with pruning also decided without the matrix, reaches %s.",
			term.Percent(v.Unpruned), describe(s.Single), term.Percent(v.SingleConfig), term.Percent(v.Mean))
	}
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
		if class != "" && class == t.names[m] && count[class] == 1 {
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

// gaps counts the pairs of matrix and configuration without a measurement.
func (t *table) gaps() (near, absent, failed int) {
	for _, row := range t.evidence {
		for _, e := range row {
			switch e {
			case Near:
				near++
			case Absent:
				absent++
			case Failed:
				failed++
			}
		}
	}

	return near, absent, failed
}
