package analysis

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/sparse"
	"spmvtune/tuner"
	"spmvtune/tuner/search"
	"spmvtune/tuner/stat"
	"spmvtune/tuner/trial"
)

// A Chooser is the strategy "rule": a learned rule decides what is measured.
type Chooser struct {
	named opened   // what the sweep names; without a rule: the rule of the device's model
	top   int      // most configurations to measure
	own   sync.Map // the rules that come with the program, as devices ask for them: an opened by name
}

// An opened is a rule and what it was read from.
type opened struct {
	rule *rule.Rule
	from string
}

// of is the rule for a device.
func (c *Chooser) of(device string) (opened, error) {
	if c.named.rule != nil {
		return c.named, nil
	}
	name := rule.NameFor(device)
	if own, ok := c.own.Load(name); ok {
		return own.(opened), nil
	}
	read, from, err := rule.Open(name)
	if err == nil {
		c.own.Store(name, opened{read, from})
	}
	return opened{read, from}, err
}

// NewChooser reads the rule of a sweep. It returns nil if the sweep has another strategy.
func NewChooser(ctx context.Context, sweep *configs.Sweep) (*Chooser, error) {
	if sweep.Search.Strategy != search.Rule {
		return nil, nil
	}
	name, c := sweep.Search.Rule, &Chooser{top: cmp.Or(sweep.Search.Top, rule.Shortlisted)}
	if name == "" {
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
	precision := among[0].Precision
	r, err := c.of(dev.Name)
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
		if named, err = ask(r.rule, key, dev, &m.Features); err == nil {
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
		return nil, fmt.Errorf("the rule (%s) names %s on %s: none of these kernels is in the sweep", r.from, names(wanted),
			dev.Name)
	}
	return kept, nil
}

// ask asks the ensemble, where the rule has one, and else the trees.
func ask(r *rule.Rule, k rule.Key, dev kernels.Device, f *sparse.Features) (rule.Choice, error) {
	s, err := r.Find(k)
	if err != nil {
		return rule.Choice{}, err
	}
	return r.Select(k, *f, rule.Wanted{Accurate: s.Ensemble != nil, On: rule.HardwareOf(dev)})
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

// A distance says how far a rule's choice is from the best configuration.
type distance struct {
	words string
	share float64 // fraction of the best speed that it reaches
}

// verified are the verified measurements of each place.
func verified(seen []rule.Observation) map[trial.Case][]*rule.Observation {
	places := make(map[trial.Case][]*rule.Observation)
	for i := range seen {
		if o := &seen[i]; !o.Failed {
			at := trial.Case{Device: o.Device, Matrix: o.Matrix, Precision: o.Config.Precision, Cache: o.Cache}
			places[at] = append(places[at], o)
		}
	}
	return places
}

// distanceOf compares a choice with all measurements of its place. It reports false if nothing
// but the choice was measured there.
func distanceOf(at trial.Case, chosen []kernels.Config, all []*rule.Observation) (distance, bool) {
	best, first, fastest := math.Inf(1), math.NaN(), math.Inf(1) // seconds
	for _, o := range all {
		best = min(best, o.Seconds)
		i := slices.Index(chosen, o.Config)
		if i == 0 {
			first = o.Seconds
		}
		if i >= 0 {
			fastest = min(fastest, o.Seconds)
		}
	}
	return distance{share: best / first, words: fmt.Sprintf(
			"%s %s %s: the rule's choice reaches %.1f%% of the speed of the best of %d configurations measured here; "+
				"the best of its %d reaches %.1f%%",
			at.Matrix, at.Precision, at.Cache, 100*best/first, len(all), len(chosen), 100*best/fastest)},
		!math.IsNaN(first) && len(all) > len(chosen)
}

// ChoiceNotes says in a report how far the choices of a rule are from the best, for the sweeps
// that went by a rule. The rule is asked again.
func (r *Results) ChoiceNotes(ctx context.Context) ([]error, error) {
	var notes []error
	for _, s := range r.sweeps {
		c, err := NewChooser(ctx, &configs.Sweep{Search: s.Search})
		if err != nil {
			notes = append(notes, fmt.Errorf("cannot tell how far the rule of %s is from the best: %w", s.Name, err))
			continue
		}
		if c == nil {
			continue
		}
		seen, err := r.Observations(ctx)
		if err != nil {
			return nil, err
		}
		notes = append(notes, farthest(c.distances(verified(seen)))...)
	}

	return notes, nil
}

// distances asks the rule for its choice at each place. It leaves out places where nothing
// that the rule names was measured.
func (c *Chooser) distances(places map[trial.Case][]*rule.Observation) []distance {
	var list []distance
	for _, at := range slices.SortedFunc(maps.Keys(places), comparePlaces) {
		var among []kernels.Config
		for _, o := range places[at] {
			among = append(among, o.Config)
		}
		m := trial.Matrix{Name: at.Matrix, Features: *places[at][0].Features}
		chosen, err := c.choose(kernels.Device{Name: at.Device}, m, at.Cache, among)
		if far, ok := distanceOf(at, chosen, places[at]); ok && err == nil {
			list = append(list, far)
		}
	}

	return list
}

// mostChoices is how many choices a report lists one by one.
const mostChoices = 12

// farthest describes each of a few choices. Of many it gives the geometric mean and describes
// those that lose most.
func farthest(far []distance) []error {
	var notes []error
	shown := far
	if len(far) > mostChoices {
		var mean stat.GeometricMean
		for _, f := range far {
			mean.Add(f.share)
		}
		notes = append(notes, fmt.Errorf("the rule's %d choices reach %.1f%% of the speed of the best measured "+
			"configurations (geometric mean); the %d that lose most follow", len(far), 100*mean.Value(), mostChoices))
		shown = slices.Clone(far)
		slices.SortStableFunc(shown, func(a, b distance) int { return cmp.Compare(a.share, b.share) })
		shown = shown[:mostChoices]
	}

	for _, f := range shown {
		notes = append(notes, errors.New(f.words))
	}
	return notes
}

func comparePlaces(a, b trial.Case) int {
	return cmp.Or(cmp.Compare(a.Device, b.Device), cmp.Compare(a.Matrix, b.Matrix),
		cmp.Compare(a.Precision, b.Precision), cmp.Compare(a.Cache, b.Cache))
}
