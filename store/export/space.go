package export

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/tuner/trial"
)

// A space is what was tried in a place, as auto-tuners see it: parameters with values, of which the kernel is one,
// and a point for each configuration.
type space struct {
	trial.Case
	row        store.Row // of any trial, with what all share
	parameters []parameter
	points     []point
}

// A parameter has its values in rising order: whole numbers, or texts where one of them is no number.
type parameter struct {
	name   string
	values []any
	// unset is the value of kernels that don't have the parameter, nil if all have it.
	unset any
}

// A point is a trial with a value for each parameter.
type point struct {
	store.Row
	values []any
}

// Parameters that every space has, by the names that Kernel Tuner gives them where it does.
const (
	kernelParameter = "kernel"
	blockParameter  = "block_size_x"
	gridParameter   = "grid"
)

// reserved are the names that no parameter can have in Kernel Tuner, besides those of the space's own.
var reserved = []string{kernelParameter, blockParameter, gridParameter, "grid_size_x", "grid_size_y", "grid_size_z",
	"time", "times", "compile_time", "verification_time", "benchmark_time", "strategy_time", "framework_time", "timestamp"}

// readSpace reads the trials of one place.
func readSpace(ctx context.Context, db *store.DB, f store.Filter) (*space, error) {
	newest := map[kernels.Config]store.Row{}
	err := db.Trials(ctx, f, func(r *store.Row) error {
		if old, there := newest[r.Config]; !there || old.At.Before(r.At) { // a kernel whose source changed is there twice
			newest[r.Config] = *r
		}
		return nil
	})
	if err != nil {
		return nil, err
	}

	s := &space{}
	for _, r := range newest {
		s.Case, s.row = r.Place(), r
		s.points = append(s.points, point{Row: r})
	}
	slices.SortFunc(s.points, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.Kernel, b.Kernel), cmp.Compare(a.Params, b.Params), cmp.Compare(a.Grid, b.Grid),
			cmp.Compare(a.Block, b.Block))
	})
	s.parametrize()
	return s, nil
}

// parametrize finds the parameters, and the value of each point.
func (s *space) parametrize() {
	var names []string
	for _, p := range s.points {
		for name := range p.Params.All() {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)

	s.add(kernelParameter, func(p *point) (string, bool) { return p.Kernel, true })
	s.add(blockParameter, func(p *point) (string, bool) { return strconv.Itoa(p.Block), true })
	s.add(gridParameter, func(p *point) (string, bool) { return strconv.Itoa(p.Grid), true })
	for _, name := range names {
		called := name
		if slices.Contains(reserved, name) {
			called = "param_" + name
		}
		s.add(called, func(p *point) (string, bool) { return p.Params.Get(name) })
	}
}

// add adds a parameter. Kernels that don't have it get a value that no other has.
func (s *space) add(name string, value func(*point) (string, bool)) {
	whole, least := true, 0
	for i := range s.points {
		text, ok := value(&s.points[i])
		n, err := strconv.Atoi(text)
		whole = whole && (!ok || err == nil && strconv.Itoa(n) == text)
		if ok {
			least = min(least, n-1)
		}
	}
	p := parameter{name: name}
	for i := range s.points {
		text, ok := value(&s.points[i])
		var v any = text
		n, _ := strconv.Atoi(text)
		switch {
		case !ok && whole:
			v, p.unset = least, least
		case !ok:
			v, p.unset = none, none
		case whole:
			v = n
		}
		s.points[i].values = append(s.points[i].values, v)
		if !slices.Contains(p.values, v) {
			p.values = append(p.values, v)
		}
	}
	slices.SortFunc(p.values, func(a, b any) int {
		if m, ok := a.(int); ok {
			return cmp.Compare(m, b.(int))
		}
		return cmp.Compare(a.(string), b.(string))
	})
	s.parameters = append(s.parameters, p)
}

// none is the value of a parameter of texts for kernels that don't have it.
const none = "none"

// key is the key of a point in Kernel Tuner's cache.
func (p point) key() string {
	texts := make([]string, len(p.values))
	for i, v := range p.values {
		texts[i] = text(v)
	}
	return strings.Join(texts, ",")
}

func text(v any) string {
	if n, ok := v.(int); ok {
		return strconv.Itoa(n)
	}
	return v.(string)
}

// configuration gives the value of each parameter, in their order.
func (s *space) configuration(p point) members {
	var m members
	for i, v := range p.values {
		m = append(m, member{s.parameters[i].name, v})
	}
	return m
}
