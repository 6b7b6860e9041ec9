package job

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/sparse"
	"spmvtune/tuner"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
)

// A Chooser is the strategy "rule": a learned rule decides what is measured.
type Chooser struct {
	rule *rule.Rule
	from string // what the rule was read from
	top  int    // most configurations to measure
	made []choice
}

// A choice is what was measured because the rule named it.
type choice struct {
	at      trial.Place
	configs []kernels.Config
}

// NewChooser reads the rule of a sweep. It returns nil if the sweep has another strategy.
func NewChooser(ctx context.Context, sweep *configs.Sweep) (*Chooser, error) {
	if sweep.Search.Strategy != search.Rule {
		return nil, nil
	}
	name, top := cmp.Or(sweep.Search.Rule, rule.EmbeddedName), cmp.Or(sweep.Search.Top, rule.Shortlisted)
	if !strings.HasSuffix(name, ".db") {
		r, from, err := rule.Open(name)
		return &Chooser{rule: r, from: from, top: top}, err
	}

	j, err := OpenReadOnly(ctx, name)
	if err != nil {
		return nil, err
	}
	defer j.Close()
	r, err := j.Learn(ctx)
	if err == nil && r == nil {
		err = fmt.Errorf("%s: %w", name, rule.ErrNoData)
	}

	return &Chooser{rule: r, from: name, top: top}, err
}

// Use makes a run go by the rule. c may be nil.
func (c *Chooser) Use(opt *tuner.Options) {
	if c != nil {
		opt.Choose = c.choose
	}
}

// choose names the configurations of the sweep that are nearest to the first ones of the rule's
// shortlist. A rule of another device or cache state serves if there is no
// better one: several configurations are measured, and the fastest of them wins.
func (c *Chooser) choose(
	dev kernels.Device, m trial.Matrix, cache trial.Cache, among []kernels.Config,
) ([]kernels.Config, error) {
	precision := among[0].Precision
	var named rule.Choice
	var err error
	for _, key := range []rule.Key{
		{Device: dev.Name, Precision: precision, Cache: cache},
		{Device: dev.Name, Precision: precision},
		{Precision: precision, Cache: cache},
		{Precision: precision},
	} {
		if named, err = c.named(key, dev, &m.Features); err == nil {
			break
		}
	}
	if err != nil {
		return nil, err
	}

	var kept, wanted []kernels.Config
	for _, w := range named.Shortlist {
		wanted = append(wanted, w.Config)
		near, ok := rule.Nearest(w.Config, among)
		if ok && !slices.Contains(kept, near) && len(kept) < c.top {
			kept = append(kept, near)
		}
	}
	if len(kept) == 0 {
		return nil, fmt.Errorf("the rule (%s) names %s on %s: none of these kernels is in the sweep", c.from, names(wanted),
			dev.Name)
	}
	at := trial.Place{Device: dev.Name, Matrix: m.Name, Precision: precision, Cache: cache}
	c.made = append(c.made, choice{at, kept})
	return kept, nil
}

// named asks the ensemble, where the rule has one, and else the trees.
func (c *Chooser) named(k rule.Key, dev kernels.Device, f *sparse.Features) (rule.Choice, error) {
	s, err := c.rule.Find(k)
	if err != nil {
		return rule.Choice{}, err
	}
	return c.rule.SelectFor(k, *f, rule.Wanted{Accurate: s.Ensemble != nil, On: rule.HardwareOf(dev)})
}

// names lists the kernels of configurations.
func names(list []kernels.Config) string {
	var all []string
	for _, c := range list {
		if !slices.Contains(all, c.Kernel) {
			all = append(all, c.Kernel)
		}
	}
	return strings.Join(all, ", ")
}
