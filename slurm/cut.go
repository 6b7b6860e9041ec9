package slurm

import (
	"fmt"
	"math"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner"
)

// CutOptions say how long tasks may be.
type CutOptions struct {
	Target time.Duration // wall time to pack a task for
	Limit  time.Duration // of a task on the cluster; 0: none
	// Devices are those that each backend of the sweep is expected to find; they need
	// not be here.
	Devices map[string]kernels.Device
}

const (
	// usable is the share of the limit that is planned for: times are guesses.
	usable = 0.8
	// shortest is how long a task should be at least, if there is more to do:
	// starting one takes Slurm and us seconds.
	shortest = time.Minute
)

// Cut packs what a sweep does into chunks, one a task, in the order of its matrices.
// A matrix with more to do than fits is cut into parts of its trials. Matrices are not
// loaded: their sizes come from headers and generators, so that trials and seconds
// are guesses. That a matrix seems to have no trials does not leave it out.
func Cut(sweep *configs.Sweep, opt CutOptions) (Plan, error) {
	c := cutter{target: opt.Target.Seconds(), limit: math.Inf(1)}
	if opt.Limit > 0 {
		c.limit = usable * opt.Limit.Seconds()
		c.target = min(c.target, c.limit)
	}
	c.least = min(shortest.Seconds(), c.target/2)
	for _, m := range sweep.Matrices {
		size, err := tuner.SizeOf(m)
		if err != nil {
			return Plan{}, err
		}
		w := work{matrix: m.Name}
		for _, backend := range sweep.Backends() {
			o, err := tuner.Look(sweep.Only(backend), size, opt.Devices[backend])
			if err != nil {
				return Plan{}, fmt.Errorf("planning %s: %w", m.Name, err)
			}
			w.trials += o.Trials
			w.seconds += o.Time.Seconds()
			w.load += o.Load.Seconds()
		}
		c.add(w)
	}
	c.flush()
	return c.plan, nil
}

// work is what there is to do on a matrix.
type work struct {
	matrix        string
	trials        int
	seconds, load float64 // of the trials; of loading the matrix, which every part does
}

// cutter packs work into the chunks of a plan.
type cutter struct {
	target, limit, least float64 // seconds
	plan                 Plan
	open                 Chunk
}

// add packs the work on one more matrix.
func (c *cutter) add(w work) {
	n := c.parts(w)
	for i := range n {
		trials := w.trials*(i+1)/n - w.trials*i/n
		seconds := w.load
		if w.trials > 0 {
			seconds += w.seconds * float64(trials) / float64(w.trials)
		}
		full := c.open.Seconds+seconds > c.target && c.open.Seconds >= c.least
		if full || c.open.Seconds+seconds > c.limit {
			c.flush()
		}
		c.open.Pieces = append(c.open.Pieces, Piece{w.matrix, tuner.Part{Index: i, Of: n}})
		c.open.Trials += trials
		c.open.Seconds += seconds
	}
}

// parts is into how many parts the trials of a matrix are cut: as many as bring a part
// and the loading that comes with it to the target. Where loading alone takes most of
// it, a part is as long as loading: otherwise tasks would do little else.
func (c *cutter) parts(w work) int {
	if w.load+w.seconds <= c.target || w.trials < 2 {
		return 1
	}
	room := max(c.target-w.load, min(w.load, c.limit-w.load), c.target/4)
	return min(int(math.Ceil(w.seconds/room)), w.trials)
}

// flush ends the open chunk.
func (c *cutter) flush() {
	if len(c.open.Pieces) == 0 {
		return
	}
	last := len(c.plan.Chunks) - 1
	if last >= 0 && c.open.Seconds < c.least && c.plan.Chunks[last].Seconds+c.open.Seconds <= c.limit {
		into := &c.plan.Chunks[last]
		into.Pieces = append(into.Pieces, c.open.Pieces...)
		into.Trials += c.open.Trials
		into.Seconds += c.open.Seconds
	} else {
		c.open.ID = fmt.Sprintf("%04d", len(c.plan.Chunks)+1)
		c.plan.Chunks = append(c.plan.Chunks, c.open)
	}
	c.open = Chunk{}
}
