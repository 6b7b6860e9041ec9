// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/cpu"
	"example.org/spmvtune/kernels/cuda"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// What spmvtune.h says of devices.
const (
	auto      = -1
	processor = -2
)

// options are spmv_options.
type options struct {
	device    int
	precision kernels.Precision
	measure   time.Duration
	products  int
	config    string
}

// A plan is a matrix that is ready for products on a device.
type plan struct {
	backend  kernels.Backend
	problem  *kernels.Problem
	features sparse.Features
	product  kernels.Product
	choice   candidate
	text     string

	walk, data unsafe.Pointer // of a GPU: what enqueues a product, and its first argument
	bound      map[[2]unsafe.Pointer]func()
}

// A candidate is what a plan may run.
type candidate struct {
	kernels.Config
	Seconds  float64 // that a product is expected to take; 0: not known
	Prepare  float64 // seconds that preparing took when it was measured
	measured bool
	base     float64 // seconds of the fastest product that needs no preparing; 0: not known
}

// A walker is the backend of a GPU.
type walker interface {
	Enter() error
	Walk() (run, data unsafe.Pointer, err error)
	Recall() error
	Update() error
}

// A binder is a product of a processor.
type binder interface {
	Bind(x, y unsafe.Pointer) (func(), error)
	Update() error
}

// open opens a device, to measure on it or not. The thread must end with its goroutine.
func open(device int, measures bool) (kernels.Backend, error) {
	if device >= 0 || device == auto && len(cuda.Names()) > 0 {
		b, err := cuda.Open(max(device, 0), !measures)
		return b, as(statusDevice, err)
	}
	b, err := cpu.OpenShare(cpu.Share{Guest: true})
	return b, as(statusDevice, err)
}

// newPlan plans products of a, whose arrays it keeps. Without memory to measure in, it goes by the rule.
func newPlan(a *sparse.CSR[float64], o options) (*plan, error) {
	p, err := planOn(a, o, "")
	if errors.Is(err, kernels.ErrMemory) && o.measure > 0 && o.config == "" {
		o.measure = 0
		return planOn(a, o, " (not measured: the device has no memory for that)")
	}
	return p, err
}

// planOn does that. The plan's text ends with note.
func planOn(a *sparse.CSR[float64], o options, note string) (p *plan, err error) {
	b, err := open(o.device, o.measure > 0)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.Close()
		}
	}()
	p = &plan{problem: worker.NewProblem(a, configs.DefaultProtocol.Seed), backend: b}
	if err := p.backend.Load(p.problem); err != nil {
		return nil, err
	}
	if p.features = sparse.Analyze(a); o.config != "" {
		c, err := kernels.ParseConfig(o.config, o.precision)
		if err != nil {
			return nil, as(statusConfig, err)
		}
		return p, p.prepare([]candidate{{Config: c}}, note)
	}
	list, err := p.choose(o)
	if err != nil {
		return nil, err
	}
	return p, p.prepare(list, note)
}

// prepare prepares the first of list that the matrix and the device take; the text says why it is not one before.
func (p *plan) prepare(list []candidate, note string) error {
	product, err := p.backend.Prepare(list[0].Config, kernels.Options{Launch: kernels.Stream})
	if w, is := p.backend.(walker); is && err == nil {
		p.walk, p.data, err = w.Walk()
	}
	invalid := new(kernels.InvalidError)
	switch memory := errors.Is(err, kernels.ErrMemory); {
	case err == nil:
		p.product, p.choice = product, list[0]
		p.text = p.choice.describe(product.Info().Prepare.Seconds()) + note
		p.bound = map[[2]unsafe.Pointer]func(){}
		return nil
	case (memory || errors.As(err, &invalid)) && len(list) > 1:
		why := cmp.Or(invalid.Reason, "the device has no memory for it")
		return p.prepare(list[1:], note+fmt.Sprintf(" (not %s: %s)", list[0].Kernel, why))
	case memory:
		return as(statusMemory, err)
	case errors.As(err, &invalid):
		return as(statusConfig, fmt.Errorf("%s: %w", list[0].Config, err))
	}
	return err
}

// describe says what c is and, if it was measured, its time, and when preparing it has paid: what planning takes beside is
// not charged. The times that the rule expects rank configurations, and may be two or three times too small: they are not
// said.
func (c candidate) describe(prepare float64) string {
	switch {
	case c.Seconds == 0:
		return c.String()
	case !c.measured:
		return c.String() + ": by the rule, not measured"
	}
	s := fmt.Sprintf("%s: %.3g us measured", c, 1e6*c.Seconds)
	if saved := c.base - c.Seconds; saved > 0 && prepare > 0 {
		s += fmt.Sprintf(", preparing pays after %.0f products", math.Ceil(prepare/saved))
	}
	return s
}

// choose lists what may run, the best first. The last of the list runs anywhere.
func (p *plan) choose(o options) (list []candidate, err error) {
	d, last := p.backend.Device(), p.plain(o.precision)
	if known, ok := recall(p.problem.A, d, o.precision); ok {
		if plain := float64(o.products) * known.base; plain > 0 && plain < p.cost(known, o.products) {
			return []candidate{last}, nil
		}
		return []candidate{known, last}, nil
	}
	if list, err = p.expected(o); err == nil && o.measure > 0 {
		list, err = p.measured(o, list)
	}
	if err != nil {
		return nil, err
	}
	base := 0.0
	for _, c := range list {
		k, _ := kernels.Lookup(c.Kernel)
		if (k.Plain(c.Config) || k.Library()) && c.Seconds > 0 && (base == 0 || c.Seconds < base) {
			base = c.Seconds
		}
	}
	for i := range list {
		list[i].base = base
	}
	if o.measure > 0 && len(list) > 0 {
		remember(p.problem.A, d, list[0]) // the fastest, however many products it takes
	}
	if o.products > 0 {
		slices.SortStableFunc(list, func(a, b candidate) int {
			return cmp.Compare(p.cost(a, o.products), p.cost(b, o.products))
		})
	}
	return append(list, last), nil
}

// perEntry is how long it takes to prepare a matrix for a format of a kernel's own, in seconds for each nonzero: the
// median of 7607 trials of narrow, lanes, panel and SELL kernels in rule/h200-data.json.gz, on matrices of 100,000
// nonzeros or more. Nine of ten took 24 ns at most.
const perEntry = 7.7e-9

// cost is how long products take with what c needs before the first.
func (p *plan) cost(c candidate, products int) float64 {
	k, _ := kernels.Lookup(c.Kernel)
	if !c.measured && !k.Plain(c.Config) {
		c.Prepare = perEntry * float64(p.features.Nonzeros)
	}
	return c.Prepare + float64(products)*c.Seconds
}

// plain needs no preparing, and no rule: rows, or equal shares of nonzeros where a row is longer than a core's share.
func (p *plan) plain(precision kernels.Precision) candidate {
	d, f := p.backend.Device(), p.features
	name := "csr_vector_ahead"
	switch {
	case d.Backend == "cuda":
	case f.Nonzeros < fewNonzeros:
		name = "cpu_csr"
	case f.RowMax*d.Units > f.Nonzeros:
		name = "cpu_csr_merge"
	default:
		name = "cpu_csr_rows"
	}
	s := configs.Space{Kernels: []string{name}, Precisions: []kernels.Precision{precision}, Grid: configs.Grid{Auto: true}}
	list := slices.Collect(s.Expand(d.Units))
	return candidate{Config: list[len(list)-1]}
}

// fewNonzeros are so few that one core is done with them before others have begun.
const fewNonzeros = 1 << 14

// expected lists what the rule expects of the configurations that it knows, the fastest first.
func (p *plan) expected(o options) (list []candidate, err error) {
	d := p.backend.Device()
	r, key := ruleFor(d, o.precision)
	if r == nil {
		return nil, nil
	}
	c, err := r.Select(key, p.features, rule.Wanted{Products: o.products, On: rule.HardwareOf(d),
		Takes: func(c kernels.Config) bool { return d.Backend == "cpu" || cuda.Legal(p.problem.A, c) }})
	if err != nil {
		return nil, err
	}
	return lists.Of(c.Shortlist, func(r rule.Ranked) candidate {
		return candidate{Config: r.Config, Seconds: r.Seconds}
	}), nil
}

// measured measures what may be the fastest, as tune does, and lists what was measured, the fastest first.
func (p *plan) measured(o options, expected []candidate) (list []candidate, err error) {
	end, d := time.Now().Add(o.measure), p.backend.Device()
	s, err := configs.LoadShipped(map[string]string{"cuda": "corpus", "cpu": "quickstart"}[d.Backend])
	if err != nil {
		return nil, err
	}
	var all []kernels.Config
	for _, one := range s.Kernels {
		one.Precisions = []kernels.Precision{o.precision}
		for c := range one.Expand(d.Units) {
			keep, _ := one.Keep(c, p.features.Rows, p.features.Cols, p.features.Nonzeros)
			if k, _ := kernels.Lookup(c.Kernel); keep && k.Check(c) == nil && !slices.Contains(all, c) {
				all = append(all, c)
			}
		}
	}
	space := search.NewSpace(all)
	if d.Backend == "cuda" && len(expected) > 0 {
		for _, c := range all {
			e := search.Expectation{Spread: 0.4}
			if i := slices.IndexFunc(expected, func(x candidate) bool { return x.Config == c }); i >= 0 {
				e.Seconds, e.Spread = expected[i].Seconds, 0.2
			}
			space.Expected = append(space.Expected, e)
		}
	}
	strategy, err := search.New(search.Tune, space, s.Protocol.Seed)
	if err != nil {
		return nil, err
	}
	protocol, best := s.Protocol, 0.0
	protocol.Cache, protocol.Slow = string(trial.Warm), 2
	bench := worker.NewBench(p.backend, p.problem, p.features)
	for step, more := strategy.Ask(); more && (time.Now().Before(end) || len(list) == 0); step, more = strategy.Ask() {
		protocol.Budget = min(s.Protocol.Budget, time.Until(end)/8)
		r := bench.Measure(all[step.Config], protocol, best)
		strategy.Tell(step, r)
		if r.Status == trial.Fault {
			return nil, fmt.Errorf("measuring %s: %s", r.Config, r.Message)
		}
		if r.Status == trial.OK {
			list = append(list, candidate{Config: r.Config, Seconds: r.Median, Prepare: r.Prepare, measured: true})
			if best == 0 || r.Median < best {
				best = r.Median
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.Seconds, b.Seconds) })
	return list, nil
}

// multiply computes y = A·x on the processor. Vectors are bound when they are new.
func (p *plan) multiply(x, y unsafe.Pointer) error {
	run, known := p.bound[[2]unsafe.Pointer{x, y}]
	if !known {
		var err error
		if run, err = p.product.(binder).Bind(x, y); err != nil {
			return err
		}
		if len(p.bound) >= mostBound {
			clear(p.bound)
		}
		p.bound[[2]unsafe.Pointer{x, y}] = run
	}
	run()
	return nil
}

// mostBound are the pairs of vectors that stay bound.
const mostBound = 64

// update puts the values of a matrix of the same pattern in place.
func (p *plan) update(fill func(to []float64)) error {
	values := make([]float64, len(p.problem.A.Val))
	fill(values)
	form, _ := p.choice.Params.Get("values")
	if form == "equal" && slices.ContainsFunc(values, func(v float64) bool { return v != values[0] }) {
		return as(statusConfig, errors.New("the values are not all equal, and the plan reads one for all"))
	}
	copy(p.problem.A.Val, values)
	if w, is := p.backend.(walker); is {
		return errors.Join(w.Enter(), w.Update())
	}
	clear(p.bound)
	return p.product.(binder).Update()
}

// check compares a product with the reference.
func (p *plan) check() (trial.Result, error) {
	if w, is := p.backend.(walker); is {
		if err := cmp.Or(w.Enter(), w.Recall()); err != nil {
			return trial.Result{}, err
		}
	}
	return worker.NewBench(p.backend, p.problem, p.features).Check(p.product, p.choice.Config)
}

// free frees the plan.
func (p *plan) free() error {
	if w, is := p.backend.(walker); is {
		if err := w.Enter(); err != nil {
			return err
		}
	}
	return p.backend.Close()
}
