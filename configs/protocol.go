// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"math"
	"slices"
	"strings"
	"time"

	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/search"
)

// Protocol says how a trial is measured.
type Protocol struct {
	// Cache is cold, warm or both.
	Cache string
	// Warmup is the number of products before the first sample.
	Warmup int
	// Samples are the fewest and the most.
	Samples [2]int
	// Target ends sampling when the 95% interval of the median is within ± this fraction.
	Target float64
	// Budget bounds the sampling time of one trial.
	Budget time.Duration
	// Timeout is how long a trial may take before its worker is killed.
	Timeout time.Duration
	// Seed is that of x and of the trials' order.
	Seed uint64
	// Slow is a factor: a trial whose first products are all this many times slower than the
	// best of its place ends with them. With 0 no trial is cut short.
	Slow float64
	// Launch is how the products of a sample are handed to a GPU.
	Launch kernels.Launch

	// Sentinel is the number of trials after which the first verified one of a matrix is
	// measured again; 0: never. It changes no sample and is in no trial's identity.
	Sentinel int
	// Finals bounds the repeat runs of each leader of a matrix; 0: none. It is in no trial's
	// identity either.
	Finals int
	// Repeats is how many trials of a place, at most, are measured once more to see how far
	// another run may be off; 0: none. It is in no trial's identity either.
	Repeats int
}

// DefaultProtocol is how trials are measured where a sweep does not say.
var DefaultProtocol = Protocol{
	Cache:   "cold",
	Warmup:  3,
	Samples: [2]int{10, 200},
	Target:  0.01,
	Budget:  2 * time.Second,
	Timeout: time.Minute,
	Seed:    1,
	Slow:    3,
	Launch:  kernels.Graph,

	Sentinel: 50,
	Finals:   32,
	Repeats:  12,
}

// keys are those of [protocol].
func (p *Protocol) keys() section {
	return section{
		{name: "cache", into: &p.Cache, options: []string{"cold", "warm", "both"},
			doc: "cold: flush the caches before every sample; warm: run products back to back; both"},
		{name: "warmup", into: &p.Warmup, doc: "products before the first sample"},
		{name: "samples", into: &p.Samples, doc: "fewest and most"},
		{name: "target", into: &p.Target, want: "a fraction between 0 and 1, as 0.01 for 1%",
			legal: func(x float64) bool { return x > 0 && x < 1 }, doc: "stop when the 95% interval of the median is within 1%"},
		{name: "trial_budget", into: &p.Budget, positive: true, doc: "sampling time of one trial"},
		{name: "timeout", into: &p.Timeout, positive: true, doc: "kill a trial that has not answered by then"},
		{name: "seed", into: &p.Seed, doc: "of x and of the order of trials"},
		{name: "sentinel", into: &p.Sentinel, doc: "measure the first verified trial of a matrix again after this many " +
			"trials, to see drift; 0: never"},
		{name: "finals", into: &p.Finals, doc: "repeat runs of the leaders of a matrix, to pick the winner: at most this " +
			"many of each; 0: none"},
		{name: "repeats", into: &p.Repeats, doc: "trials of each place that are measured once more, to see how far " +
			"another run may be off: one of ten, three at least, at most this many; 0: none"},
		{name: "slow", into: &p.Slow, want: "0 or a factor from 1 up",
			legal: func(x float64) bool { return x == 0 || x >= 1 && !math.IsInf(x, 1) }, doc: "end a trial early whose products are this many times " +
				"slower than the best of its place, and 10 µs more; 0: never"},
		{name: "launch", into: (*string)(&p.Launch), options: []string{string(kernels.Graph), string(kernels.Stream)},
			doc: "GPU: graph: replay the products of a sample as a CUDA graph; stream: let the host launch each kernel"},
	}
}

// check notes a timeout that ends trials within their budget.
func (p *Protocol) check(t *table) {
	if p.Timeout > p.Budget {
		return
	}
	key := "trial_budget"
	if t.has("timeout") {
		key = "timeout"
	}
	t.fail(key, "make timeout the larger one, with time to spare for preparing and verifying",
		"a trial is killed after timeout %v, which is not longer than trial_budget %v", p.Timeout, p.Budget)
}

// Search says which points of the space are tried.
type Search struct {
	// Strategy is one of the strategies of package tuner/search.
	Strategy string
	// Trials bounds the trials per matrix and cache state; 0: no bound.
	Trials int
	// Time bounds the time of the whole sweep; 0: no bound.
	Time time.Duration
	// Busy bounds the time of the trials of a search; 0: no bound.
	Busy time.Duration
	// Rule is a file for the strategy "rule": rule.json or a database, or the name of one that comes
	// with the program. "" stands for the one of them for the device.
	Rule string
	// Top is how many configurations of a rule's shortlist the strategy "rule" measures; 0: as many
	// as the rule is judged by.
	Top int
	// Shuffled says that the matrices are in an order that mixes their sections.
	Shuffled bool
}

// ownRules are the names of the rules that come with the program.
var ownRules = strings.Join(search.Rules, " or ")

// defaultSearch is that of a sweep that does not say.
var defaultSearch = Search{Strategy: search.Strategies[0].Name}

// keys are those of [search]. find gives the files of a path.
func (s *Search) keys(find finder) section {
	return section{
		{name: "strategy", into: &s.Strategy, options: search.Names(), doc: "see below"},
		{name: "order", example: `"file"`, read: s.readOrder,
			doc: "of matrices; shuffled: mix the sections, so that a part of the sweep is like the whole"},
		{name: "budget", example: `{ trials = 0, time = "0s", busy = "0s" }`,
			sub: section{{name: "trials", into: &s.Trials}, {name: "time", into: &s.Time}, {name: "busy", into: &s.Busy}},
			doc: "most trials per matrix, most time in all, most time measuring in an adaptive search; 0: no bound"},
		{name: "rule", example: `"rule.json"`, read: func(t *table, key string) { s.readRule(t, key, find) },
			doc: "a rule.json, a database, or " + ownRules + "; default: h100 on an H100, else h200"},
		{name: "top", example: "3", into: &s.Top, least: 1, doc: "how many configurations of the rule's shortlist are measured"},
	}
}

// check notes a random search without a bound, and what another strategy would not heed.
func (s *Search) check(t *table) {
	if bounds, _ := t.vals["budget"].(map[string]any); s.Strategy == "random" && len(bounds) == 0 {
		t.fail("strategy", "give budget = { trials = 100 }", "a random search without a budget tries everything")
	}
	for key, what := range map[string]string{"rule": "a rule", "top": "a shortlist"} {
		if t.has(key) && s.Strategy != search.Rule {
			t.fail(key, `write strategy = "rule", or leave it out`, "only that strategy has %s", what)
		}
	}
}

func (s *Search) readOrder(t *table, key string) {
	const file, shuffled = "file", "shuffled"
	order := file
	t.choice(key, &order, []string{file, shuffled})
	s.Shuffled = order == shuffled
}

func (s *Search) readRule(t *table, key string, find finder) {
	t.text(key, &s.Rule)
	if s.Rule == "" || s.Strategy != search.Rule || slices.Contains(search.Rules, s.Rule) {
		return
	}
	found, err := find(s.Rule)
	if err != nil {
		t.fail(key, "spmvtune learn -o rule.json makes one; "+ownRules+" comes with spmvtune", "%v", err)
		return
	}
	s.Rule = found[0]
}

// Device chooses what to run on.
type Device struct {
	// Backend is auto, cpu or cuda.
	Backend string
	// Index chooses one of several GPUs.
	Index int
	// Indices are GPUs that share the matrices out among them; none: Index alone.
	Indices []int
	// All says that these are all GPUs of the machine, whose Indices are not known yet.
	All bool
}

// Each returns the indices of all devices that are chosen.
func (d Device) Each() []int {
	if len(d.Indices) > 0 {
		return d.Indices
	}
	return []int{d.Index}
}

// several reports whether more than one GPU may be chosen.
func (d Device) several() bool { return d.All || len(d.Indices) > 0 }

// defaultDevice is that of a sweep that does not say.
var defaultDevice = Device{Backend: "auto"}

// keys are those of [device].
func (d *Device) keys() section {
	return section{
		{name: "backend", into: &d.Backend, options: []string{"auto", "cpu", "cuda"},
			doc: "auto: cuda if a device answers, else cpu; cpu; cuda"},
		{name: "index", into: &d.Index, read: d.readIndex,
			doc: "which of several GPUs; [0, 1]: these, each with some of the matrices; \"all\": all of one model"},
	}
}

// readIndex reads an index, a list of them, or "all".
func (d *Device) readIndex(t *table, key string) {
	const hint = `write 0, [0, 1] or "all"`
	switch v := t.vals[key].(type) {
	case string:
		if d.All = v == "all"; !d.All {
			t.fail(key, hint, "is %q", v)
		}
	case []any:
		for _, e := range v {
			if i, is := e.(int64); is && i >= 0 && !slices.Contains(d.Indices, int(i)) {
				d.Indices = append(d.Indices, int(i))
			}
		}
		if len(v) == 0 || len(d.Indices) < len(v) {
			d.Indices = nil
			t.fail(key, hint, "is not a list of different GPUs")
			return
		}
		d.Index = d.Indices[0]
	default:
		t.count(key, &d.Index, 0)
	}
}

// check notes several GPUs where none is used.
func (d *Device) check(t *table) {
	if d.Backend == "cpu" && d.several() {
		t.fail("index", "leave it out", "chooses GPUs, and backend is cpu")
	}
}
