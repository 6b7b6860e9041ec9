package analysis

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

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
	named rules // by what the sweep names, or by the model of the device, if it names nothing
	top   int   // most configurations to measure

	mu   sync.Mutex // devices may ask at the same time
	made []choice
}

// rules are the rules that a Chooser goes by. One that no sweep names follows the device.
type rules struct {
	rule *rule.Rule
	from string           // what the rule was read from
	own  map[string]rules // those that come with the program, as they are asked for, by name
}

// of is the rule for a device.
func (r *rules) of(device string) (*rule.Rule, string, error) {
	if r.rule != nil {
		return r.rule, r.from, nil
	}
	name := rule.NameFor(device)
	if own, ok := r.own[name]; ok {
		return own.rule, own.from, nil
	}
	read, from, err := rule.Open(name)
	if err != nil {
		return nil, "", err
	}
	r.own[name] = rules{rule: read, from: from}
	return read, from, nil
}

// A choice is what was measured because the rule named it.
type choice struct {
	at      trial.Case
	configs []kernels.Config
}

// NewChooser reads the rule of a sweep. It returns nil if the sweep has another strategy.
func NewChooser(ctx context.Context, sweep *configs.Sweep) (*Chooser, error) {
	if sweep.Search.Strategy != search.Rule {
		return nil, nil
	}
	name, c := sweep.Search.Rule, &Chooser{top: cmp.Or(sweep.Search.Top, rule.Shortlisted)}
	if name == "" {
		c.named.own = map[string]rules{}
		return c, nil
	}
	var err error
	if !strings.HasSuffix(name, ".db") {
		c.named.rule, c.named.from, err = rule.Open(name)
		return c, err
	}

	results, err := OpenReadOnly(ctx, name)
	if err != nil {
		return nil, err
	}
	defer results.Close()
	c.named.from = name
	if c.named.rule, err = results.Learn(ctx); err == nil && c.named.rule == nil {
		err = fmt.Errorf("%s: %w", name, rule.ErrNoData)
	}
	return c, err
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
	c.mu.Lock()
	defer c.mu.Unlock()
	precision := among[0].Precision
	r, from, err := c.named.of(dev.Name)
	if err != nil {
		return nil, err
	}
	var named rule.Choice
	for _, key := range []rule.Key{
		{Device: dev.Name, Precision: precision, Cache: cache},
		{Device: dev.Name, Precision: precision},
		{Precision: precision, Cache: cache},
		{Precision: precision},
	} {
		if named, err = ask(r, key, dev, &m.Features); err == nil {
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
		return nil, fmt.Errorf("the rule (%s) names %s on %s: none of these kernels is in the sweep", from, names(wanted),
			dev.Name)
	}
	at := trial.Case{Device: dev.Name, Matrix: m.Name, Precision: precision, Cache: cache}
	c.made = append(c.made, choice{at, kept})
	return kept, nil
}

// ask asks the ensemble, where the rule has one, and else the trees.
func ask(r *rule.Rule, k rule.Key, dev kernels.Device, f *sparse.Features) (rule.Choice, error) {
	s, err := r.Find(k)
	if err != nil {
		return rule.Choice{}, err
	}
	return r.SelectFor(k, *f, rule.Wanted{Accurate: s.Ensemble != nil, On: rule.HardwareOf(dev)})
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
