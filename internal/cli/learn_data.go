package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/analysis"
	"spmvtune/internal/base/files"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/rule"
	"spmvtune/store"
	"spmvtune/tuner/search"
)

// observedIn reads what a rule is learned from, and the classes that are kept for a final test: databases, which are
// named as runs are, files of saved observations, or both. Where both have a trial, the database's counts. If a
// device is named, the trials of others are left out. The run of tune adds to what taught the rule of its device that
// comes with the program.
func observedIn(cmd *cobra.Command, args []string, device string) (seen []rule.Observation, test []string, err error) {
	var tables, databases []string
	for _, arg := range args {
		if strings.HasSuffix(arg, trainingSuffix) {
			tables = append(tables, arg)
		} else {
			databases = append(databases, arg)
		}
	}
	if seen, test, err = savedIn(tables, func(path string) (fs.File, error) { return files.Open(path) }); err != nil {
		return nil, nil, err
	}
	if len(databases) > 0 || len(tables) == 0 {
		if databases, err = command.Databases(cmd, databases); err != nil {
			return nil, nil, err
		}
		measured, classes, err := observed(cmd.Context(), cmd.ErrOrStderr(), databases)
		if err != nil {
			return nil, nil, err
		}
		if slices.Contains(args, search.Tune) {
			paths, _ := fs.Glob(rule.Kept, "*")
			kept, classes, err := savedIn(paths, rule.Kept.Open)
			if err != nil {
				return nil, nil, err
			}
			devices := rule.Distinct(measured, func(o *rule.Observation) string { return o.Device })
			names := rule.Distinct(measured, func(o *rule.Observation) string { return o.Matrix })
			kept = slices.DeleteFunc(kept, func(o rule.Observation) bool { // a name is that of one matrix
				return !slices.Contains(devices, o.Device) || slices.Contains(names, o.Matrix)
			})
			if len(kept) != 0 {
				seen, test = append(seen, kept...), append(test, classes...)
			}
		}
		seen, test = append(seen, measured...), append(test, classes...)
	}
	seen, err = ofDevice(seen, device)
	return seen, test, err
}

// ofDevice leaves out what other devices measured; "": nothing.
func ofDevice(seen []rule.Observation, device string) ([]rule.Observation, error) {
	if device == "" {
		return seen, nil
	}
	measured := rule.Distinct(seen, func(o *rule.Observation) string { return o.Device })
	if err := command.Known("device", device, measured); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(seen, func(o rule.Observation) bool { return o.Device != device }), nil
}

// observed reads the trials in the databases, as a report on them does, and the classes that their
// sweeps keep for a final test. It says which kernels are left out.
func observed(ctx context.Context, w io.Writer, paths []string) (seen []rule.Observation, test []string, err error) {
	var j *analysis.Results
	if len(paths) == 1 {
		j, err = analysis.Open(ctx, paths[0])
	} else {
		j, err = analysis.Gather(ctx, paths, store.Choice{})
	}
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if seen, err = j.Observations(ctx); err != nil {
		return nil, nil, err
	}
	if unseen := j.Unverified(); len(unseen) > 0 {
		fmt.Fprintf(w, "note: the rule leaves out %s\n", term.Some(unseen, command.FewNames))
	}
	return seen, j.TestClasses(), nil
}

// trainingSuffix is how the name of a file of saved observations ends.
const trainingSuffix = ".json.gz"

// savedIn reads saved observations, and the classes of their final tests.
func savedIn(paths []string, open func(string) (fs.File, error)) (all []rule.Observation, test []string, err error) {
	for _, path := range paths {
		f, err := open(path)
		if err != nil {
			return nil, nil, err
		}
		seen, classes, err := rule.ReadTraining(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		all, test = append(all, seen...), append(test, classes...)
	}
	return all, test, nil
}
