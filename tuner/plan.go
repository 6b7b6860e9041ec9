// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"math/rand/v2"
	"slices"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/reorder"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// A Plan is what a sweep tries on one matrix, in order.
type Plan struct {
	Matrix    trial.Matrix
	Trials    []trial.Trial
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
	if p.Cache == "both" {
		return []trial.Cache{trial.Warm, trial.Cold}
	}
	return []trial.Cache{trial.Cache(p.Cache)}
}

// points calls each with the configurations that the sweep tries on a matrix of a size, each
// once, and counts those that are left out by reason.
func (p planner) points(size trial.Size, skipped map[string]int, each func(kernels.Config)) error {
	seen := map[kernels.Config]bool{} // a kernel may be in several spaces
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
			if invalid, is := errors.AsType[*kernels.InvalidError](k.Check(c)); is {
				skipped[invalid.Reason]++
				continue
			}
			order, _ := c.Params.Get(kernels.Reorder)
			if err := reorder.Method(order).Suits(size.Rows, size.Cols); err != nil {
				skipped[err.Error()]++
				continue
			}
			seen[c] = true
			each(c)
		}
	}

	return nil
}

// plan applies the sweep's space, its constraints and its strategy to m. The order of the
// trials is random, so that a drift of the machine falls on all configurations alike, and
// the same for the same seed and matrix.
func (p planner) plan(m trial.Matrix) (Plan, error) {
	plan := Plan{Matrix: m, Trials: []trial.Trial{}, Skipped: map[string]int{}}
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

// A Chooser returns which of some configurations of one precision are worth measuring on a
// matrix, on a device and in a cache state: a few, the most promising first. It may return
// none.
type Chooser func(
	dev kernels.Device, m trial.Matrix, cache trial.Cache, among []kernels.Config,
) ([]kernels.Config, error)

// An Expecter says what is expected of configurations of one precision on a matrix, on a device and in a
// cache state; nil: nothing.
type Expecter func(
	dev kernels.Device, m trial.Matrix, cache trial.Cache, among []kernels.Config,
) []search.Expectation

// choose returns what the chooser names, in each precision.
func (p planner) choose(m trial.Matrix, cache trial.Cache, points []kernels.Config) ([]kernels.Config, error) {
	if p.chooser == nil {
		return nil, fmt.Errorf("the strategy %q needs a rule, and there is none", search.Rule)
	}
	var kept []kernels.Config
	for _, precision := range []kernels.Precision{kernels.Float32, kernels.Float64} {
		among := slices.DeleteFunc(slices.Clone(points), func(c kernels.Config) bool { return c.Precision != precision })
		if len(among) == 0 {
			continue
		}
		chosen, err := p.chooser(p.device, m, cache, among)
		if err != nil {
			return nil, err
		}
		kept = append(kept, chosen...)
	}

	return kept, nil
}

// Trials returns what a sweep of one backend tries on a matrix on an assumed device, in the order of its
// plan. If a strategy decides, these are all that it may try. choose is for sweeps that go by a rule.
func (a Assumed) Trials(sweep *configs.Sweep, choose Chooser, m trial.Matrix) ([]trial.Trial, error) {
	plan, err := planner{sweep, a.Device, a.Sources, choose}.plan(m)
	return plan.Trials, err
}

// cut reduces a plan to the trials that are in the pieces of the matrix.
func (r *run) cut(plan Plan) Plan {
	var all []trial.Trial
	for _, p := range r.assignment.pieces {
		trials, _ := r.in(p)
		all = append(all, trials...)
	}
	plan.Trials = lists.Distinct(all, func(t trial.Trial) trial.Trial { return t })
	return plan
}

// in returns the trials of a piece of the current matrix and, if a strategy decides which of them there are,
// the searches, which are not cut: a piece has some of them.
func (r *run) in(p trial.Piece) (trials []trial.Trial, searches []trial.Case) {
	if !search.Adaptive(r.sweep.Search.Strategy) {
		return trial.Cut(p.Part, r.whole), nil
	}
	searches = trial.Cut(p.Part, casesOf(r.whole))
	return slices.DeleteFunc(slices.Clone(r.whole), func(t trial.Trial) bool {
		return !slices.Contains(searches, caseOf(t))
	}), searches
}

// ended notes which pieces of a share are complete, after work on it ended with err.
func (r *run) ended(s assignment, err error) {
	for _, p := range s.pieces {
		if p.Complete, p.IDs = r.recorded(p); !p.Complete {
			p.Reason = r.reason(err)
		}
		r.sum.Pieces = append(r.sum.Pieces, p)
	}
}

// recorded reports whether all trials of a piece are recorded, and which ones they are. Which ones its searches
// took is not kept apart from those of others on the matrix.
func (r *run) recorded(p trial.Piece) (bool, trial.IDs) {
	if r.whole == nil {
		return false, ""
	}
	trials, searches := r.in(p)
	ids := idsOf(trials)
	if len(searches) > 0 {
		if slices.ContainsFunc(searches, func(s trial.Case) bool { return !r.searched[s] }) {
			return false, ""
		}
		ids = slices.Collect(maps.Keys(r.done))
	}
	keys := make([]trial.Key, len(ids))
	for i, id := range ids {
		if !r.done[id] {
			return false, ""
		}
		keys[i] = trial.KeyOf(id)
	}
	return true, trial.ListOf(slices.Values(keys))
}

// unreached notes the pieces of shares that no device has when the run ended with err, and of matrices that
// the sweep does not have.
func (r *run) unreached(todo []assignment, err error) {
	r.whole = nil
	for _, s := range todo {
		r.ended(s, err)
	}
	unknown := slices.DeleteFunc(slices.Clone(r.opt.Pieces), func(p trial.Piece) bool {
		return slices.ContainsFunc(r.sweep.Matrices, func(m configs.Matrix) bool { return m.Name == p.Matrix })
	})
	r.ended(assignment{pieces: unknown}, err)
}

// reason says why work ended, by err and by what the summary says.
func (r *run) reason(err error) string {
	var f *Failure
	switch {
	case errors.As(err, &f):
		return f.Err.Error()
	case err != nil && !errors.Is(err, errStop):
		return err.Error()
	case r.sum.OutOfTime:
		return "the sweep's time budget is used up"
	case r.sum.Interrupted:
		return "the run was interrupted"
	default:
		return "the sweep has no such matrix"
	}
}
