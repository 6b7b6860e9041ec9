package rule

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"spmvtune/kernels"
)

// Learn returns a rule with one tree for each device, precision and cache state
// among the observations, each validated by leaving out one family at a time, and
// judged on the classes of Options.Test, which teach it nothing.
// The order of the observations doesn't matter. Keys without any measurement
// are left out; if that are all, the error is ErrNoData.
func Learn(ctx context.Context, obs []Observation, opt Options) (*Rule, error) {
	if err := opt.Check(); err != nil {
		return nil, fmt.Errorf("learning a rule: %w", err)
	}
	r := &Rule{Version: Version, Sweep: sweeps(obs), Products: opt.Products}
	obs = charged(obs, opt.Products)
	keys, groups := group(obs)

	for _, k := range keys {
		teaching := slices.DeleteFunc(slices.Clone(groups[k]),
			func(o *Observation) bool { return slices.Contains(opt.Test, o.Class) })
		t, unmeasured, err := newTable(teaching, opt)
		if err != nil {
			return nil, fmt.Errorf("learning a rule for %s: %w", k, err)
		}

		if len(t.names) == 0 {
			continue
		}
		if !slices.ContainsFunc(t.kernels, func(name string) bool { return !slices.Contains(opt.Without, name) }) {
			return nil, fmt.Errorf("learning a rule for %s: no kernel is left to choose: all are left out", k)
		}
		s, learned, err := t.learn(ctx, k, opt)
		if err != nil {
			return nil, fmt.Errorf("learning a rule for %s: %w", k, err)
		}

		s.price(t, oracles(teaching))
		s.Sources = s.sources(teaching)
		s.Warnings, s.Noise = warnings(t, s, unmeasured), t.noise()
		if len(teaching) < len(groups[k]) {
			if s.Test, err = finalTest(groups[k], t, learned, opt); err != nil {
				return nil, fmt.Errorf("testing the rule for %s: %w", k, err)
			}
		}
		r.Selectors = append(r.Selectors, *s)
	}

	if len(r.Selectors) == 0 {
		return nil, fmt.Errorf("learning a rule: %w", ErrNoData)
	}
	return r, nil
}

// learn learns from all matrices of the table, and validates that.
func (t *table) learn(ctx context.Context, k Key, opt Options) (*Selector, *lesson, error) {
	v, err := validate(ctx, t, opt)
	if err != nil {
		return nil, nil, err
	}
	l := t.teach(indices(len(t.names)), t.kernelLoss(), opt)
	return &Selector{
		Device: k.Device, Hardware: t.facts[0].Hardware, Precision: k.Precision, Cache: k.Cache,
		Root: l.tree, Sizes: l.sizes, Ensemble: l.ensemble, Pruned: l.pruned, Configs: len(t.configs),
		Validation: v, Single: l.single, SingleKernel: l.kernel,
	}, l, nil
}

// finalTest judges the tree learned from t on the matrices of obs that are not in t.
func finalTest(obs []*Observation, t *table, learned *lesson, opt Options) (Validation, error) {
	all, _, err := newTable(obs, opt)
	if err != nil {
		return Validation{}, err
	}
	kernel := all.kernelLoss()
	var cases []Case
	held := heldOut(all, t)

	for _, m := range held {
		cases = append(cases, all.judge(m, learned, kernel))
	}
	v := sumUp(cases)
	classes := make(map[string]bool)
	for _, m := range held {
		classes[all.classes[m]] = true // which they have: they were chosen by it
	}

	v.Families = len(classes)
	v.Parts = v.Families
	return v, nil
}

// heldOut are the matrices of all that are not in t.
func heldOut(all, t *table) []int {
	var list []int
	for m, name := range all.names {
		if _, taught := slices.BinarySearch(t.names, name); !taught {
			list = append(list, m)
		}
	}
	return list
}

// String gives k as users read it: "NVIDIA H100, float32, cold cache".
func (k Key) String() string {
	s := k.Device + ", " + string(k.Precision)
	if k.Cache != "" {
		s += ", " + string(k.Cache) + " cache"
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
	if c.Params != "" {
		fields = append(fields, c.Params.String())
	}
	return strings.Join(fields, ", ")
}
