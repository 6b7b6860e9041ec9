package configs

import (
	"math"
	"slices"
	"time"

	"spmvtune/tuner/search"
)

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

	Sentinel: 50,
	Finals:   32,
}

// protocol reads [protocol].
func (t *table) protocol() Protocol {
	p := DefaultProtocol
	t.only(protocolKeys)
	t.choice("cache", &p.Cache, caches)
	t.count("warmup", &p.Warmup, 0)
	t.samples(&p.Samples)
	t.target(&p.Target)
	t.duration("trial_budget", &p.Budget, true)
	t.duration("timeout", &p.Timeout, true)
	t.slow(&p.Slow)
	t.count("sentinel", &p.Sentinel, 0)
	t.count("finals", &p.Finals, 0)
	if p.Timeout <= p.Budget {
		key := "trial_budget"
		if t.has("timeout") {
			key = "timeout"
		}
		t.fail(key, "make timeout the larger one, with time to spare for preparing and verifying",
			"a trial is killed after timeout %v, which is not longer than trial_budget %v", p.Timeout, p.Budget)
	}
	switch v := t.vals["seed"].(type) {
	case nil:
	case int64:
		if v < 0 {
			t.fail("seed", "", "%d is too small: the least is 0", v)
			break
		}
		p.Seed = uint64(v)
	default:
		t.wrong(t.at.key("seed"), "seed", v, "an integer")
	}
	return p
}

// samples reads [fewest, most].
func (t *table) samples(into *[2]int) {
	const key, form = "samples", "write [fewest, most], as in [10, 200]"
	v, ok := t.vals[key]
	if !ok {
		return
	}
	pair, ok := v.([]any)
	if !ok || len(pair) != 2 {
		t.fail(key, form, "want two integers")
		return
	}
	low, ok0 := t.integer(t.at.key(key).item(0), key, pair[0], 1)
	high, ok1 := t.integer(t.at.key(key).item(1), key, pair[1], 1)
	switch {
	case !ok0 || !ok1:
	case low > high:
		t.fail(key, form, "the fewest, %d, are more than the most, %d", low, high)
	default:
		*into = [2]int{low, high}
	}
}

// target reads a fraction above 0 and below 1.
func (t *table) target(into *float64) {
	const key = "target"
	switch f, ok := t.number(key, "a fraction"); {
	case !ok:
	case !(f > 0 && f < 1): // NaN too
		t.fail(key, "0.01 means: the interval is within 1% of the median", "%v is not between 0 and 1", f)
	default:
		*into = f
	}
}

// slow reads a factor from 1 up, or 0.
func (t *table) slow(into *float64) {
	const key = "slow"
	switch f, ok := t.number(key, "a number"); {
	case !ok:
	case f != 0 && !(f >= 1) || math.IsInf(f, 1): // NaN too
		t.fail(key, "3 means: three times slower than the best so far; 0: no trial is cut short", "%v is neither 0 nor a factor from 1 up", f)
	default:
		*into = f
	}
}

// search reads [search].
func (t *table) search(find func(string) ([]string, error)) Search {
	s := Search{Strategy: strategies[0]}
	t.only(searchKeys)
	t.choice("strategy", &s.Strategy, strategies)
	t.text("rule", &s.Rule)
	switch found, err := find(s.Rule); {
	case s.Rule == "":
	case s.Strategy != search.Rule:
		t.fail("rule", `write strategy = "rule", or leave it out`, "only that strategy has a rule")
	case err != nil:
		t.fail("rule", "spmvtune learn -o rule.json makes one; without this key it is the one that comes with spmvtune", "%v", err)
	default:
		s.Rule = found[0]
	}
	order := orders[0]
	t.choice("order", &order, orders)
	s.Shuffled = order != orders[0]
	budget := t.section("budget")
	budget.only(budgetKeys)
	budget.count("trials", &s.Trials, 0)
	budget.duration("time", &s.Time, false)
	if s.Strategy == "random" && !budget.has("trials") && !budget.has("time") {
		t.fail("strategy", "give budget = { trials = 100 }", "a random search without a budget tries everything")
	}
	return s
}

// device reads [device].
func (t *table) device() Device {
	d := Device{Backend: backends[0]}
	t.only(deviceKeys)
	t.choice("backend", &d.Backend, backends)
	t.count("index", &d.Index, 0)
	return d
}

// report reads [report].
func (t *table) report() Report {
	var r Report
	t.only(reportKeys)
	for at, id := range t.texts("figures") {
		if !slices.Contains(Figures, id) {
			t.failAt(at, "figures", suggest(id, "figures", Figures), "no figure is called %q", id)
		}
		r.Figures = append(r.Figures, id)
	}
	// What names may mean is known once there are results: the report says if nothing
	// is called so.
	lists := r.lists()
	for _, key := range reportKeys {
		if list, known := lists[key]; known {
			for _, name := range t.texts(key) {
				*list = append(*list, name)
			}
		}
	}
	t.flag("published", &r.Published)
	return r
}
