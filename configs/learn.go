package configs

import (
	"slices"

	"github.com/BurntSushi/toml"
)

// learn reads [learn].
func (t *table) learn() Learn {
	var l Learn
	t.only(learnKeys)
	for at, class := range t.texts("test") {
		if t.oneLine(at, "test", class) {
			l.Test = append(l.Test, class)
		}
	}
	return l
}

// known notes test classes that no matrix has: a slip of the pen would let the rule
// learn from what it is tested on.
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

// LearnOf returns the [learn] section of a sweep's text as a database keeps it. What
// can't be read any more is taken as left out.
func LearnOf(text []byte) Learn {
	var file struct {
		Learn struct{ Test any }
	}
	if err := toml.Unmarshal(text, &file); err != nil {
		return Learn{}
	}
	var errs Errors
	t := &table{errs: &errs, vals: map[string]any{"test": file.Learn.Test}, at: &place{}}
	return t.learn()
}
