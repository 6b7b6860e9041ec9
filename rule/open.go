package rule

import (
	"fmt"
	"os"
)

// Open reads a rule: the file of this name, or the embedded rule by its name. It also returns
// a description of where the rule is from.
func Open(name string) (r *Rule, from string, err error) {
	if name == EmbeddedName {
		if r, err = Embedded(); err != nil {
			return nil, "", err
		}
		return r, "the one that comes with spmvtune, learned from " + r.Sweep, nil
	}

	f, err := os.Open(name)
	if err != nil {
		return nil, "", fmt.Errorf("opening the rule: %w", err)
	}
	defer f.Close()
	if r, err = Read(f); err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}

	return r, name, nil
}
