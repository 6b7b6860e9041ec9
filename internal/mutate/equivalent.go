package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
)

// equivalent has the mutants that mean the same as the original, by file and change.
type equivalent map[[3]string]bool

func (e equivalent) has(m mutant) bool {
	return e[[3]string{m.file, m.old, m.new}] || e[[3]string{m.file, m.old, "*"}]
}

// readEquivalent reads a list of them: paragraphs of the file, the line before ("- "), the
// line after ("+ "; * is any), and the reason.
func readEquivalent(path string) (equivalent, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("reading equivalent mutants: %w", err)
	}

	list := equivalent{}
	for paragraph := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		lines := strings.SplitN(strings.TrimSpace(paragraph), "\n", 4)
		if strings.HasPrefix(lines[0], "#") {
			continue
		}
		if len(lines) < 4 || !strings.HasPrefix(lines[1], "- ") || !strings.HasPrefix(lines[2], "+ ") {
			return nil, fmt.Errorf("%s: %q does not name a file, a change and a reason", path, lines[0])
		}
		list[[3]string{lines[0], lines[1][2:], lines[2][2:]}] = true
	}
	return list, nil
}
