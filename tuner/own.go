package tuner

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"

	"spmvtune/internal/base/files"
	"spmvtune/kernels"
	"spmvtune/sparse/cache"
	"spmvtune/tuner/worker"
)

// Unbuilt says that an own kernel of the sweep does not compile for some of its configurations.
// Their trials are invalid.
type Unbuilt struct {
	Kernel  string
	Configs int    // how many
	Reason  string // that of the first
}

// Compiled returns the folder of what is compiled of own kernels, "" if there are none. It is that of
// the cache or, if that is off, a temporary one, which remove removes.
func Compiled(own []kernels.Own) (folder string, remove func(), err error) {
	remove = func() {}
	if len(own) == 0 {
		return "", remove, nil
	}
	dir, err := cache.Default()
	if err != nil {
		return "", remove, err
	}
	if path := dir.Path(); path != "" {
		return filepath.Join(path, "kernels"), remove, nil
	}
	made, err := files.NewScratch("", "spmvtune-kernels-")
	if err != nil {
		return "", remove, fmt.Errorf("making a folder for compiled kernels: %w", err)
	}
	return made.Path(), func() { made.Remove() }, nil
}

// keepScratch makes a folder for the programs of the sweep, if it has any, which remove removes.
func (r *run) keepScratch() (remove func(), err error) {
	if !slices.ContainsFunc(r.sweep.Own(), func(o kernels.Own) bool { return o.Command != nil }) {
		return func() {}, nil
	}
	made, err := files.NewScratch("", "spmvtune-programs-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for programs: %w", err)
	}
	r.scratch = made.Path()
	return func() { made.Remove() }, nil
}

// build compiles own kernels for the trials of a plan that are still to be measured, all at once,
// and tells of those that can't be.
func (r *run) build(ctx context.Context, plan Plan) error {
	var list []kernels.Config
	for _, t := range plan.Trials {
		o, own := kernels.Defined(r.sweep.Own(), t.Kernel)
		c := t.Config
		c.Grid = 0 // it is not compiled in
		if own && o.Command == nil && !r.done[t.ID] && !r.built[c] {
			r.built[c] = true
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil
	}
	r.opt.Observe(Event{Doing: "compiling the kernels of the sweep"})
	rep, err := r.client.Do(ctx, worker.Request{Build: list}, 0)
	if err != nil {
		r.drop(r.client, err)
		return r.interrupted(ctx, fmt.Errorf("compiling the kernels of the sweep: %w", err))
	}

	var told []*Unbuilt
	of := map[string]*Unbuilt{}
	for i, reason := range rep.Unbuilt {
		if name := list[i].Kernel; reason != "" {
			if of[name] == nil {
				of[name] = &Unbuilt{Kernel: name, Reason: reason}
				told = append(told, of[name])
			}
			of[name].Configs++
		}
	}
	for _, u := range told {
		r.opt.Observe(Event{Unbuilt: u})
	}
	return nil
}
