// SPDX-License-Identifier: Apache-2.0

// Package profile counts what kernels do, by a profiler that follows a process of this program: NVIDIA's Nsight Compute,
// perf or valgrind. It keeps the counters with the trials of a results database. Timings under a profiler are discarded.
package profile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
)

// A Profiler counts what trials of a database do.
type Profiler struct {
	DB *store.DB
	W  io.Writer // for what it says meanwhile
	// Program is the program that opens devices of a backend, and Here says why a device is not the one of this
	// machine, nil if it is.
	Program func(backend string) (string, error)
	Here    func(context.Context, kernels.Device) error
}

// A Choice is of trials: those for which a condition on the view results is true, or else the fastest of each kernel
// on each matrix. Matrix and Device are names, or "" for all.
type Choice struct{ Where, Matrix, Device string }

// Count counts what the chosen trials do, and keeps it. It returns how many could not be counted.
func (p *Profiler) Count(ctx context.Context, choose Choice) (failed int, err error) {
	db, w := p.DB, p.W
	trials, err := p.choose(ctx, choose)
	if err == nil {
		trials, err = p.present(ctx, trials)
	}
	if err != nil {
		return 0, err
	}
	c := counting{Profiler: p, all: len(trials)}
	for _, group := range groups(trials) {
		if err := c.count(ctx, group); err != nil {
			return 0, err
		}
	}
	if len(c.missing) > 0 {
		fmt.Fprintf(w, "note: the profiler does not count %s\n", strings.Join(c.missing, ", "))
	}
	if c.failed > 0 {
		return c.failed, nil
	}
	fmt.Fprintf(w, "%s counted: `%s` prints them, and `%s` shows them\n", term.Trials(len(trials)),
		term.Shell("spmvtune", "query", "--db", db.Path(), "profile"), term.Shell("spmvtune", "report", db.Path()))
	return 0, nil
}

// groups sorts trials that one process can count: of a device, a matrix and a cache state.
func groups(trials []store.Row) (groups [][]store.Row) {
	return lists.Groups(trials, func(t store.Row) [3]string {
		return [3]string{t.Device, t.Result.Matrix, string(t.Cache)}
	})
}

// A counting is the state of count.
type counting struct {
	*Profiler
	all, done, failed int // numbers of trials
	missing           []string
}

// A counted is what was counted of a trial.
type counted struct {
	store.Counts
	of      string   // The kernel that ratios are of.
	missing []string // What this profiler does not count.
}

// count counts what a group of trials does. If that fails, each is counted alone.
func (c *counting) count(ctx context.Context, group []store.Row) error {
	k, err := definition(ctx, c.DB, &group[0])
	if err != nil {
		return err
	}
	list, err := c.together(ctx, k.Backend, group)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, new(*term.Hinted)): // it is true of all
		return err
	case err != nil && len(group) > 1:
		for i := range group {
			if err := c.count(ctx, group[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	for i := range group {
		t := &group[i]
		if c.done++; err == nil {
			c.missing = list[i].missing
		}
		fmt.Fprintf(c.W, "%d/%d %s: %s", c.done, c.all, t.Matrix, t.Config)
		switch {
		case err != nil:
			c.failed++
			fmt.Fprintf(c.W, ": %v\n", err)
			continue
		case list[i].Counts["launches"] > 1:
			fmt.Fprintf(c.W, ": %g kernels, ratios of %s\n", list[i].Counts["launches"], list[i].of)
		default:
			fmt.Fprintln(c.W)
		}
		if err := c.DB.SaveCounts(ctx, map[string]store.Counts{t.ID: list[i].Counts}); err != nil {
			return err
		}
	}
	return nil
}

// together counts what the products of some trials do, in a process that a profiler follows.
func (p *Profiler) together(ctx context.Context, backend string, trials []store.Row) ([]counted, error) {
	switch backend {
	case "cuda":
		return p.countByNCU(ctx, trials)
	case "cpu":
		return p.countOnCPU(ctx, trials)
	default:
		return nil, fmt.Errorf("nothing counts what a %s does", backend)
	}
}

// productLine is the command line of the process that computes the products of trials.
func (p *Profiler) productLine(backend string, trials []store.Row) ([]string, error) {
	program, err := p.Program(backend)
	ids := lists.Of(trials, func(t store.Row) string { return t.ID })
	return append([]string{program, "product", p.DB.Path()}, ids...), err
}

// choose returns the trials to count: of kernels of the catalogue, and of those whose source the database has. It
// says which are left out.
func (p *Profiler) choose(ctx context.Context, c Choice) (trials []store.Row, err error) {
	if c.Where != "" {
		trials, err = p.DB.Chosen(ctx, c.Where)
	} else {
		trials, err = p.DB.Launches(ctx)
	}
	if err != nil {
		return nil, err
	}
	trials = slices.DeleteFunc(trials, func(t store.Row) bool {
		return c.Matrix != "" && t.Matrix != c.Matrix || c.Device != "" && t.Device != c.Device
	})
	kept, left := []store.Row(nil), []string(nil)
	for i := range trials {
		switch o, err := definition(ctx, p.DB, &trials[i]); {
		case err != nil:
			return nil, err
		case o != nil && o.Command == nil:
			kept = append(kept, trials[i])
		case !slices.Contains(left, trials[i].Kernel):
			left = append(left, trials[i].Kernel)
		}
	}
	if len(left) > 0 {
		fmt.Fprintf(p.W, "# not counted: %s: a program, or without a source in the database\n", term.Some(left, 12))
	}
	if len(kept) == 0 {
		return nil, errors.New("no good trial is chosen that can be counted")
	}
	return kept, nil
}

// present leaves out the trials of devices that are not here.
func (p *Profiler) present(ctx context.Context, trials []store.Row) ([]store.Row, error) {
	devices, err := p.DB.Devices(ctx)
	if err != nil {
		return nil, err
	}
	for _, d := range devices {
		of := func(t store.Row) bool { return t.Device == d.Label }
		if !slices.ContainsFunc(trials, of) {
			continue
		}
		why := p.Here(ctx, d.Device)
		if why == nil {
			continue
		}
		if trials = slices.DeleteFunc(trials, of); len(trials) == 0 {
			return nil, fmt.Errorf("the trials were measured on %s: %w", d.Label, why)
		}
		fmt.Fprintf(p.W, "note: trials of %s are left out: %v\n", d.Label, why)
	}
	return trials, nil
}
