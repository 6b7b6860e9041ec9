package slurm

import (
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/sync/errgroup"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/tuner"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/trial"
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
	// readers is how many files are read at a time, to hide how long each takes.
	readers = 16
)

// Cut packs what a sweep does into chunks, one a task, in the order of its matrices.
// A matrix with more to do than fits is cut into parts of its trials, unless a search
// decides which there are. Matrices are not
// loaded: their sizes come from headers and generators, so that trials and seconds
// are guesses. That a matrix seems to have no trials does not leave it out; those whose
// size can't be found out are all in the error.
func Cut(sweep *configs.Sweep, opt CutOptions) (Plan, error) {
	limit, err := usableTime(opt.Limit, sweep.Slurm)
	if err != nil {
		return Plan{}, err
	}
	sizes, err := sizesOf(sweep.Matrices)
	if err != nil {
		return Plan{}, err
	}
	c := newCutter(opt.Target.Seconds(), limit)
	var parts []*configs.Sweep
	for _, backend := range sweep.Backends() {
		parts = append(parts, sweep.Only(backend))
	}
	for i, m := range sweep.Matrices {
		w := work{matrix: m.Name}
		for _, part := range parts {
			o, err := tuner.NewOutlook(part, sizes[i], opt.Devices[part.Device.Backend])
			if err != nil {
				return Plan{}, fmt.Errorf("planning %s: %w", m.Name, err)
			}
			w.trials += o.Trials
			w.seconds += o.Time.Seconds()
			w.load += o.Load.Seconds()
			w.whole = o.Whole
		}
		c.add(w)
	}
	c.flush()
	return c.plan, nil
}

// usableTime is how much of a task's time limit is planned for, in seconds: not what
// comes after the warning.
func usableTime(limit time.Duration, s configs.Slurm) (float64, error) {
	if limit <= 0 {
		return math.Inf(1), nil
	}
	left := limit - s.Warning()
	if left <= 0 {
		return 0, fmt.Errorf("signal = %q warns a task %s before its end, and its time limit is %s: it would be warned at once; ask for more time, or be warned later",
			s.Signal, s.Warning(), limit)
	}
	return min(usable*limit.Seconds(), left.Seconds()), nil
}

// sizesOf finds out the sizes of matrices. On a file system that many share every file
// takes its time, which they spend together.
func sizesOf(matrices []configs.Matrix) ([]trial.Size, error) {
	sizes := make([]trial.Size, len(matrices))
	errs := make([]error, len(matrices))
	var g errgroup.Group
	g.SetLimit(readers)
	for i, m := range matrices {
		g.Go(func() error {
			sizes[i], errs[i] = matrix.SizeOf(m)
			return nil
		})
	}
	g.Wait() // all errors are in errs
	return sizes, errors.Join(errs...)
}

// work is what there is to do on a matrix.
type work struct {
	matrix        string
	trials        int
	seconds, load float64 // of the trials; of loading the matrix, which every part does
	whole         bool    // it is not cut
}

// cutter packs work into the chunks of a plan.
type cutter struct {
	target, limit, least float64 // seconds
	plan                 Plan
	open                 Chunk
}

// newCutter aims at tasks of target seconds, and none above limit.
func newCutter(target, limit float64) *cutter {
	target = min(target, limit)
	return &cutter{target: target, limit: limit, least: min(shortest.Seconds(), target/2)}
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
		c.open.Pieces = append(c.open.Pieces, Piece{w.matrix, trial.Part{Index: i, Of: n}})
		c.open.Trials += trials
		c.open.Seconds += seconds
	}
}

// parts is into how many parts the trials of a matrix are cut: as many as bring a part
// and the loading that comes with it to the target. Where loading alone takes most of
// it, a part is as long as loading, if the limit allows: otherwise tasks would do little
// else.
func (c *cutter) parts(w work) int {
	if w.whole || w.load+w.seconds <= c.target || w.trials < 2 || w.seconds == 0 {
		return 1
	}
	room := max(c.target-w.load, w.load, c.target/4)
	if left := c.limit - w.load; left > 0 {
		room = min(room, left)
	}
	each := max(1, int(float64(w.trials)*min(1, room/w.seconds))) // trials of a part, at most
	return (w.trials + each - 1) / each
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
