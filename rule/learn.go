package rule

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"spmvtune/kernels"
)

// Learn returns a rule with one tree for each device, precision and cache state
// among the observations, each validated by leaving out one matrix at a time.
// The order of the observations doesn't matter. Keys without any measurement
// are left out; if that are all, the error is ErrNoData.
func Learn(ctx context.Context, obs []Observation, opt Options) (*Rule, error) {
	if err := opt.check(); err != nil {
		return nil, fmt.Errorf("learning a rule: %w", err)
	}
	r := &Rule{Version: Version, Sweep: sweeps(obs)}
	keys, groups := group(obs)
	for _, k := range keys {
		t, unmeasured, err := newTable(groups[k], opt)
		if err != nil {
			return nil, fmt.Errorf("learning a rule for %s: %w", k, err)
		}
		if len(t.names) == 0 {
			continue
		}
		s, err := t.learn(ctx, k, opt)
		if err != nil {
			return nil, fmt.Errorf("learning a rule for %s: %w", k, err)
		}
		s.Warnings = warnings(t, s, unmeasured)
		r.Selectors = append(r.Selectors, *s)
	}
	if len(r.Selectors) == 0 {
		return nil, fmt.Errorf("learning a rule: %w", ErrNoData)
	}
	return r, nil
}

// learn grows the tree on all matrices, and prunes it where that does as well.
func (t *table) learn(ctx context.Context, k Key, opt Options) (*Selector, error) {
	all := make([]int, len(t.names))
	for m := range all {
		all[m] = m
	}
	l := newLearner(t, opt, all)
	v, err := validate(ctx, t, opt)
	if err != nil {
		return nil, err
	}
	single, _ := l.choose(all)
	s := &Selector{
		Device: k.Device, Precision: k.Precision, Cache: k.Cache,
		Root:         l.grow(all, opt.MaxDepth),
		Validation:   v,
		Single:       t.configs[single],
		SingleKernel: t.kernels[l.chooseKernel(all, t.kernelLoss())],
	}
	for _, start := range l.start {
		if start == 0 {
			s.Configs++
		}
	}
	if opt.Prune {
		s.prune(l.grow(all, 0))
	}
	return s, nil
}

// String gives k as users read it: "NVIDIA H100, float32, cold cache".
func (k Key) String() string {
	s := k.Device + ", " + string(k.Precision)
	if k.Cache != "" {
		s += ", " + k.Cache + " cache"
	}
	return s
}

func sweeps(obs []Observation) string {
	var names []string
	for _, o := range obs {
		if o.Sweep != "" && !slices.Contains(names, o.Sweep) {
			names = append(names, o.Sweep)
		}
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}

// describe gives a configuration without the precision, which the key has:
// "cpu_sell, block 8, grid 2".
func describe(c kernels.Config) string {
	c.Precision = ""
	fields := []string{c.Kernel}
	if c.Block > 0 {
		fields = append(fields, fmt.Sprintf("block %d", c.Block))
	}
	if c.Grid > 0 {
		fields = append(fields, fmt.Sprintf("grid %d", c.Grid))
	}
	if len(c.Params) > 0 {
		fields = append(fields, c.Params.String())
	}
	return strings.Join(fields, ", ")
}
