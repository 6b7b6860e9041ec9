package cli

import (
	"errors"
	"fmt"
	"io"
	"os"

	"spmvtune/internal/base/files"
	"spmvtune/rule"
)

// keptSuffix is how the name of a file of kept observations ends.
const keptSuffix = ".json.gz"

// keptIn reads kept observations, and the classes of their final tests.
func keptIn(paths []string) (all []rule.Observation, test []string, err error) {
	for _, path := range paths {
		err := func() (err error) {
			f, err := os.Open(path)
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, f.Close()) }()
			obs, classes, err := rule.ReadKept(f)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			all, test = append(all, obs...), append(test, classes...)
			return nil
		}()
		if err != nil {
			return nil, nil, err
		}
	}
	return all, test, nil
}

// keepIn writes observations.
func keepIn(path string, obs []rule.Observation, test []string) error {
	return files.WriteTo(path, func(w io.Writer) error { return rule.Keep(w, obs, test) })
}
