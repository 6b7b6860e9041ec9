package rule

import (
	"bytes"
	"fmt"

	"spmvtune/internal/base/files"
)

// mostBytes are the most that the file of a rule has.
const mostBytes = 100e6

// Open reads a rule: the file of this name, or an embedded rule by its name. It also returns
// a description of where the rule is from.
func Open(name string) (r *Rule, from string, err error) {
	if text, ok := embedded[name]; ok {
		if r, err = Read(bytes.NewReader(text)); err != nil {
			return nil, "", err
		}
		return r, "the one that comes with spmvtune, learned from " + r.Sweep, nil
	}

	text, err := files.ReadFile(name, mostBytes)
	if err != nil {
		return nil, "", fmt.Errorf("opening the rule: %w", err)
	}
	if r, err = Read(bytes.NewReader(text)); err != nil {
		return nil, "", fmt.Errorf("%s: %w", name, err)
	}

	return r, name, nil
}
