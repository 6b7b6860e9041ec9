package journal

import (
	"bytes"
	"fmt"
	"path/filepath"

	"spmvtune/internal/base/files"
	"spmvtune/tuner/trial"
)

// Write makes a journal of trials that were recorded elsewhere, with their runs and matrices. It appears
// whole or not at all.
func Write(dir string, name Name, trials []Trial, end End) error {
	if err := name.check(); err != nil {
		return fmt.Errorf("writing a journal: %w", err)
	}
	var text bytes.Buffer
	lines := 0
	add := func(kind string, record any) error {
		lines++
		line, err := seal(lines, kind, record)
		text.Write(line)
		return err
	}

	runs, matrices := map[*Run]int{}, map[*trial.Matrix]bool{}
	for _, t := range trials {
		if runs[t.Run] == 0 {
			runs[t.Run] = len(runs) + 1
			if err := add(runKind, encodeRun(runs[t.Run], t.Run.RunInfo, t.Run.Facts, t.Run.At)); err != nil {
				return err
			}
		}
		if !matrices[t.Matrix] {
			matrices[t.Matrix] = true
			if err := add(matrixKind, encodeMatrix(*t.Matrix)); err != nil {
				return err
			}
		}
		if err := add(trialKind, encodeTrial(runs[t.Run], t.Result)); err != nil {
			return err
		}
	}
	if err := add(endKind, end); err != nil {
		return err
	}

	if err := files.Create(filepath.Join(dir, name.String()), text.Bytes()); err != nil {
		return fmt.Errorf("writing a journal: %w", err)
	}
	return nil
}
