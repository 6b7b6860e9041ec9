package tuner

import (
	"errors"
	"hash/fnv"
	"math/rand/v2"
	"slices"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/sparse/reorder"
	"spmvtune/tuner/search"
	"spmvtune/tuner/trial"
	"spmvtune/tuner/worker"
)

// A Plan is what a sweep tries on one matrix, in order.
type Plan struct {
	Matrix    trial.Matrix
	Trials    []trial.Trial
	Whole     []trial.Trial  // the trials of all parts of the matrix, in order; those above are this run's
	Skipped   map[string]int // number of configurations left out, by reason
	Duplicate *Duplicate     // set if the matrix is one; it has no trials then
}

// planner turns a sweep into plans for the matrices of one device.
type planner struct {
	sweep   *configs.Sweep
	device  kernels.Device
	sources map[string]string
	chooser Chooser
}

// caches lists the cache states of a protocol in the order in which they are measured. They
// are never mixed.
func caches(p configs.Protocol) []trial.Cache {
	switch p.Cache {
	case "both":
		return []trial.Cache{trial.Warm, trial.Cold}
	default:
		return []trial.Cache{trial.Cache(p.Cache)}
	}
}

// points calls each with the configurations that the sweep tries on a matrix of a size, each
// once, and counts those that are left out by reason.
func (p planner) points(size trial.Size, skipped map[string]int, each func(kernels.Config)) error {
	seen := map[kernels.Config]bool{} // of kernels that are in several spaces
	several := p.several()
	for _, space := range p.sweep.Kernels {
		for c := range space.Expand(p.device.Units) {
			k, ok := space.Lookup(c.Kernel)
			if !ok || k.Backend != p.device.Backend {
				skipped["needs the "+k.Backend+" backend"]++
				continue
			}
			if seen[c] {
				continue
			}
			keep, err := space.Keep(c, size.Rows, size.Cols, size.Nonzeros)
			if err != nil {
				return err
			}
			if !keep {
				skipped["where = "+space.Where]++
				continue
			}
			var invalid *kernels.InvalidError
			if err := k.Check(c); errors.As(err, &invalid) {
				skipped[invalid.Reason]++
				continue
			}
			how, _ := c.Params.Get(kernels.Reorder)
			if err := reorder.Method(how).Suits(size.Rows, size.Cols); err != nil {
				skipped[err.Error()]++
				continue
			}
			if several[c.Kernel] {
				seen[c] = true
			}
			each(c)
		}
	}

	return nil
}

// several returns the kernels that are in more than one space of the sweep.
func (p planner) several() map[string]bool {
	spaces := map[string]int{}
	for _, space := range p.sweep.Kernels {
		for _, name := range slices.Compact(slices.Sorted(slices.Values(space.Kernels))) {
			spaces[name]++
		}
	}

	several := map[string]bool{}
	for name, n := range spaces {
		several[name] = n > 1
	}
	return several
}

// plan applies the sweep's space, its constraints and its strategy to m. The order of the
// trials is random, so that a drift of the machine falls on all configurations alike, and
// the same for the same seed and matrix.
func (p planner) plan(m trial.Matrix) (Plan, error) {
	plan := Plan{Matrix: m, Skipped: map[string]int{}}
	var points []kernels.Config
	if err := p.points(m.Size(), plan.Skipped, func(c kernels.Config) { points = append(points, c) }); err != nil {
		return plan, err
	}

	h := fnv.New64a()
	h.Write([]byte(m.Hash))
	rng := rand.New(rand.NewPCG(p.sweep.Protocol.Seed, h.Sum64()))
	shuffle := func() {
		rng.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	}
	shuffle()

	if n := p.sweep.Search.Trials; n > 0 && n < len(points) {
		plan.Skipped["beyond the budget of trials"] += len(points) - n
		points = points[:n]
	}

	protocol := worker.ProtocolText(p.sweep.Protocol)
	for i, cache := range caches(p.sweep.Protocol) {
		if i > 0 {
			shuffle()
		}
		tried := points
		if p.sweep.Search.Strategy == search.Rule {
			var err error
			if tried, err = p.choose(m, cache, points); err != nil {
				return plan, err
			}
		}
		for _, c := range tried {
			t := trial.Trial{Matrix: m.Hash, Config: c, Cache: cache}
			t.ID = trial.Identity(t, p.device, p.sources[c.Kernel], protocol, worker.Version)
			plan.Trials = append(plan.Trials, t)
		}
	}

	return plan, nil
}
