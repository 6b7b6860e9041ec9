package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"spmvtune/configs"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/hardware"
	"spmvtune/store"
)

// choose returns the trials to count: of kernels of the catalogue, and of those whose source the database has. It
// says which are left out.
func (p *profileCommand) choose(ctx context.Context, w io.Writer, db *store.DB) (trials []store.Row, err error) {
	if p.where != "" {
		trials, err = db.Chosen(ctx, p.where)
	} else {
		trials, err = db.Launches(ctx)
	}
	if err != nil {
		return nil, err
	}
	if err := p.named(ctx, db); err != nil {
		return nil, err
	}
	trials = slices.DeleteFunc(trials, func(t store.Row) bool {
		return p.matrix != "" && t.Matrix != p.matrix || p.device != "" && t.Device != p.device
	})
	kept, left := []store.Row(nil), []string(nil)
	for i := range trials {
		switch o, err := definition(ctx, db, &trials[i]); {
		case err != nil:
			return nil, err
		case o != nil && o.Command == nil:
			kept = append(kept, trials[i])
		case !slices.Contains(left, trials[i].Kernel):
			left = append(left, trials[i].Kernel)
		}
	}
	if len(left) > 0 {
		fmt.Fprintf(w, "# not counted: %s: a program, or without a source in the database\n", term.Some(left, 12))
	}
	if len(kept) == 0 {
		return nil, errors.New("no good trial is chosen that can be counted")
	}
	return kept, nil
}

// present leaves out the trials of devices that are not here.
func present(ctx context.Context, w io.Writer, db *store.DB, trials []store.Row) ([]store.Row, error) {
	devices, err := db.Devices(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range devices {
		of := func(t store.Row) bool { return t.Device == d.Label }
		if !slices.ContainsFunc(trials, of) {
			continue
		}
		why := hardware.Same(ctx, d.Device)
		if why == nil {
			continue
		}
		if trials = slices.DeleteFunc(trials, of); len(trials) == 0 {
			return nil, fmt.Errorf("the trials were measured on %s: %w", d.Label, why)
		}
		fmt.Fprintf(w, "note: trials of %s are left out: %v\n", d.Label, why)
	}
	return trials, nil
}

// named refuses names that the database does not have.
func (p *profileCommand) named(ctx context.Context, db *store.DB) error {
	matrices, err := db.Features(ctx)
	if err != nil {
		return err
	}
	devices, err := db.Devices(ctx)
	if err != nil {
		return err
	}
	var names, labels []string
	for i := range matrices {
		names = append(names, matrices[i].Name)
	}
	for i := range devices {
		labels = append(labels, devices[i].Label)
	}
	if err := known("matrix", p.matrix, names); err != nil {
		return err
	}
	return known("device", p.device, labels)
}

// known refuses a flag's name that is none of these.
func known(flag, name string, names []string) error {
	if name == "" || slices.Contains(names, name) {
		return nil
	}
	available := "available: " + term.Some(names, 12)
	if near := configs.Nearest(name, names); near != "" {
		available = "did you mean " + near + "?"
	}
	return command.Usage(fmt.Errorf("--%s: the database has no %q; %s", flag, name, available))
}
