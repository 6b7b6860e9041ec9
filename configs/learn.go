package configs

import (
	"slices"

	"github.com/BurntSushi/toml"
)

// Learn says which matrices teach the rule.
type Learn struct {
	// Test has the classes that are kept for the final test: they teach nothing.
	Test []string
}

// keys are those of [learn].
func (l *Learn) keys() section {
	return section{{"test", `["power law"]`,
		"classes that are kept for the final test: they teach the rule nothing; default: none", lines(&l.Test)}}
}

// learn reads [learn] of a sweep over some matrices.
func (t *table) learn(matrices []Matrix) Learn {
	var l Learn
	t.read(l.keys())
	t.known(l.Test, matrices)
	return l
}

// known notes test classes that no matrix has: with a misspelt class, the rule would learn from
// its own test.
func (t *table) known(test []string, matrices []Matrix) {
	var classes []string
	for _, m := range matrices {
		if !slices.Contains(classes, m.Class) {
			classes = append(classes, m.Class)
		}
	}

	for _, class := range test {
		if !slices.Contains(classes, class) {
			t.fail("test", suggest(class, "classes", classes), "no matrix is of class %q", class)
		}
	}
}

// LearnOf returns the [learn] section of a sweep's text as a database keeps it. A value that
// can't be read any more counts as missing.
func LearnOf(text []byte) Learn {
	var file struct {
		Learn struct{ Test any }
	}
	if err := toml.Unmarshal(text, &file); err != nil {
		return Learn{}
	}

	var errs Errors
	t := &table{errs: &errs, vals: map[string]any{"test": file.Learn.Test}, at: &position{}}
	var l Learn
	t.read(l.keys())
	return l
}
