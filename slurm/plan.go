// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/matrix"
	"example.org/spmvtune/tuner/trial"
)

// A Plan is what the tasks of a run do. Submit writes it. The halves of a chunk that retry has split are in the
// rounds only: whoever reads the plan splits the chunk, too.
type Plan struct {
	Chunks []Chunk `json:"chunks"`
}

// A Chunk is the work of one task.
type Chunk struct {
	// ID is unique in the run and safe in the name of a file: "0007". The halves of a split
	// chunk are "0007.1" and "0007.2".
	ID     string        `json:"id"`
	Pieces []trial.Piece `json:"pieces"` // Pieces are the parts of matrices' trials that are to be completed.
	// Kind is that of its task: an index in the Arrays of [slurm].
	Kind int `json:"kind,omitempty"`
	// Trials is the number of trials, as far as it is known without the device: grids may
	// depend on it.
	Trials  int     `json:"trials"`
	Seconds float64 `json:"seconds"` // Seconds is the predicted time.
	Memory  int     `json:"memory"`  // Memory is a guess of the MB that the task needs.
}

// Plan reads the plan as it is now.
func (r *Run) Plan() (p Plan, err error) {
	p, err = readJSON[Plan](r.Path(planFile))
	if err != nil {
		return p, fmt.Errorf("run %s has lost its plan, which nothing can replace: %w: copy it back, or submit the "+
			"sweep again", r.Dir, err)
	}
	for _, number := range slices.Sorted(slices.Values(r.rounds())) {
		chunks, _ := r.Round(number) // who needs a round that is lost says so
		for _, id := range chunks {
			p.grow(id)
		}
	}
	return p, nil
}

// grow adds a chunk that a round names: if it is not there, it is half of another one.
func (p *Plan) grow(id string) {
	at := strings.LastIndexByte(id, '.')
	if at < 0 || p.Chunk(id) != nil {
		return
	}
	p.grow(id[:at])
	if whole := p.Chunk(id[:at]); whole != nil {
		p.Chunks = append(p.Chunks, whole.Split()...)
	}
}

// Chunk returns the chunk with an identity; nil if there is none.
func (p *Plan) Chunk(id string) *Chunk {
	at := slices.IndexFunc(p.Chunks, func(c Chunk) bool { return c.ID == id })
	if at < 0 {
		return nil
	}
	return &p.Chunks[at]
}

// Trials is the number of trials, as far as it is known without the device. The halves of a chunk
// are counted with it.
func (p Plan) Trials() (n int) {
	for _, c := range p.Chunks {
		if !strings.Contains(c.ID, ".") {
			n += c.Trials
		}
	}
	return n
}

// Current returns the chunks without those that were split; their halves stand for them.
func (p Plan) Current() []Chunk {
	split := map[string]bool{}
	for _, c := range p.Chunks {
		if i := strings.LastIndexByte(c.ID, '.'); i > 0 {
			split[c.ID[:i]] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(p.Chunks), func(c Chunk) bool { return split[c.ID] })
}

// Split cuts c into two halves, for a task that took too long: it divides the pieces or, if
// there is only one, its trials. A chunk of one trial has no halves.
func (c Chunk) Split() []Chunk {
	var pieces [2][]trial.Piece
	switch n := len(c.Pieces); {
	case n > 1:
		pieces = [2][]trial.Piece{c.Pieces[:n/2], c.Pieces[n/2:]}
	case n == 1 && c.Trials != 1:
		halves := c.Pieces[0].Cut(2)
		pieces = [2][]trial.Piece{halves[:1], halves[1:]}
	default:
		return nil
	}

	halves := make([]Chunk, 2)
	for i := range halves {
		share := float64(len(pieces[i])) / float64(len(pieces[0])+len(pieces[1]))
		halves[i] = Chunk{
			ID:      fmt.Sprintf("%s.%d", c.ID, i+1),
			Pieces:  pieces[i],
			Kind:    c.Kind,
			Seconds: c.Seconds * share,
			Memory:  c.Memory,
		}
	}

	halves[0].Trials = int(float64(c.Trials) * halves[0].Seconds / max(c.Seconds, 1e-9))
	halves[1].Trials = c.Trials - halves[0].Trials
	return halves
}

// CutOptions say how long tasks may be.
type CutOptions struct {
	// Target is the wall time of a task that chunks are packed for.
	Target time.Duration
	// Limit is the time limit of a task on the cluster; 0 if there is none.
	Limit time.Duration
	// Devices are those that each backend of the sweep is expected to find. They need not be
	// on this machine.
	Devices map[string]kernels.Device
	// Left is the share of the work on a matrix that is left to tasks of a kind; nil: all of it.
	Left func(kind int, matrix string) float64
}

const (
	// usable is the share of the limit that is planned for, because times are guesses.
	usable = 0.8
	// shortest is the least length of a task, if there is more to do. Starting one takes Slurm
	// and us seconds.
	shortest = time.Minute
	// readers is the number of files that are read at a time.
	readers = 16
)

// Cut packs the work of a sweep into chunks, one for each task, in the order of its matrices. A
// matrix with more work than fits is cut into parts of its trials, unless a search decides which
// trials there are. Matrices are not loaded: their sizes come from headers and generators, so
// that trials and seconds are guesses. A matrix that seems to have no trials is kept. The error
// names all matrices whose size can't be found out. Tasks of each kind do all of it. Matrices of which nothing
// is left have chunks of their own, the last ones.
func Cut(sweep *configs.Sweep, opt CutOptions) (Plan, error) {
	limit, err := usableTime(opt.Limit, sweep.Slurm)
	if err != nil {
		return Plan{}, err
	}
	sizes, err := sizesOf(sweep.Matrices)
	if err != nil {
		return Plan{}, err
	}

	if opt.Left == nil {
		opt.Left = func(int, string) float64 { return 1 }
	}
	c := newCutter(opt.Target.Seconds(), limit)
	for c.kind = range sweep.Slurm.Kinds() {
		all, err := workOn(sweep, sizes, opt)
		if err != nil {
			return Plan{}, err
		}
		var done []work
		for _, w := range all {
			left := opt.Left(c.kind, w.matrix)
			if left == 0 {
				done = append(done, w) // in case what is measured is lost
				continue
			}
			w.seconds *= left
			c.add(w)
		}
		c.end()
		for _, w := range done {
			c.add(w)
		}
		c.end()
	}

	return c.plan, nil
}

// workOn returns the work on each matrix.
func workOn(sweep *configs.Sweep, sizes []trial.Size, opt CutOptions) (all []work, err error) {
	parts := lists.Of(sweep.Backends(), sweep.Only)
	for i, m := range sweep.Matrices {
		w := work{matrix: m.Name, memory: memoryOf(sizes[i], sweep.Backends())}
		for _, part := range parts {
			o, err := tuner.NewEstimate(part, sizes[i], opt.Devices[part.Device.Backend])
			if err != nil {
				return nil, fmt.Errorf("planning %s: %w", m.Name, err)
			}
			w.trials += o.Trials
			w.seconds += o.Time.Seconds() / gpusOf(part, o)
			w.load += o.Load.Seconds()
			w.whole = o.Whole
		}
		all = append(all, w)
	}
	return all, nil
}

// gpusOf is how many devices of a task share the work on a matrix, as far as is known here. One that is not
// cut has one device.
func gpusOf(part *configs.Sweep, o tuner.Estimate) float64 {
	if part.Device.Backend != "cuda" || o.Whole {
		return 1
	}
	return float64(max(len(part.Device.Each()), part.Slurm.GPUsPerTask))
}

// usableTime is the part of a task's time limit that is planned for, in seconds. It ends with the
// warning.
func usableTime(limit time.Duration, s configs.Slurm) (float64, error) {
	if limit <= 0 {
		return math.Inf(1), nil
	}
	left := limit - s.Warning()
	if left <= 0 {
		return 0, fmt.Errorf("signal = %q warns a task %s before its end, and its time limit is %s: "+
			"it would be warned at once; ask for more time, or be warned later", s.Signal, s.Warning(), limit)
	}
	return min(usable*limit.Seconds(), left.Seconds()), nil
}

// sizesOf finds out the sizes of matrices. It reads several files at once, because each takes
// time on a shared file system.
func sizesOf(matrices []configs.Matrix) ([]trial.Size, error) {
	sizes := make([]trial.Size, len(matrices))
	errs := make([]error, len(matrices))
	g, _ := panics.NewGroup(context.Background())
	g.SetLimit(readers)

	for i, m := range matrices {
		g.Go(func() error {
			sizes[i], errs[i] = matrix.SizeOf(m)
			return nil
		})
	}

	err := g.Wait()
	return sizes, errors.Join(append(errs, err)...)
}

// work is the work on one matrix.
type work struct {
	matrix  string
	trials  int
	seconds float64 // seconds is the time of all trials.
	load    float64 // load is the time of loading the matrix, which every part needs, in seconds.
	whole   bool    // whole says that the trials are not cut into parts.
	memory  int     // memory is the MB that a task needs.
}

// A cutter packs work into the chunks of a plan.
type cutter struct {
	target, limit, least float64 // lengths of a task in seconds
	plan                 Plan
	kind                 int   // kind is that of the chunks that are made now.
	first                int   // first is the first chunk to which more may be added.
	open                 Chunk // open is the chunk that is being filled.
}

// newCutter returns a cutter that aims at tasks of target seconds, and allows none above limit.
func newCutter(target, limit float64) *cutter {
	target = min(target, limit)
	return &cutter{target: target, limit: limit, least: min(shortest.Seconds(), target/2)}
}

// add packs the work on another matrix.
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
		c.open.Pieces = append(c.open.Pieces, trial.Piece{Matrix: w.matrix, Part: trial.Part{Index: i, Of: n}})
		c.open.Trials += trials
		c.open.Seconds += seconds
		c.open.Memory = max(c.open.Memory, w.memory)
	}
}

// parts is the number of parts that the trials of a matrix are cut into. A part and its loading
// together take the target. Where loading alone takes most of that, a part takes as long as
// loading, if the limit allows: otherwise tasks would do little else.
func (c *cutter) parts(w work) int {
	if w.whole || w.load+w.seconds <= c.target || w.trials < 2 || w.seconds == 0 {
		return 1
	}
	room := max(c.target-w.load, w.load, c.target/4)
	if left := c.limit - w.load; left > 0 {
		room = min(room, left)
	}
	each := max(1, int(float64(w.trials)*min(1, room/w.seconds))) // most trials of a part
	return (w.trials + each - 1) / each
}

// end ends the open chunk; no other work is added to those that there are.
func (c *cutter) end() {
	c.flush()
	c.first = len(c.plan.Chunks)
}

// flush ends the open chunk.
func (c *cutter) flush() {
	if len(c.open.Pieces) == 0 {
		return
	}
	last := len(c.plan.Chunks) - 1
	if last >= c.first && c.open.Seconds < c.least && c.plan.Chunks[last].Seconds+c.open.Seconds <= c.limit {
		into := &c.plan.Chunks[last]
		into.Pieces = append(into.Pieces, c.open.Pieces...)
		into.Trials += c.open.Trials
		into.Seconds += c.open.Seconds
		into.Memory = max(into.Memory, c.open.Memory)
	} else {
		c.open.Kind = c.kind
		c.open.ID = fmt.Sprintf("%04d", len(c.plan.Chunks)+1)
		c.plan.Chunks = append(c.plan.Chunks, c.open)
	}

	c.open = Chunk{}
}

// What a task needs of memory, as a guess on the safe side. On an AMD EPYC with a last-level cache of
// 32 MB, the two processes of a sweep of grid_5pt with cpu_csr_rows and cpu_coo_chunks had at most
// 210 MB (6,000 rows), 690 MB (500,000), 1560 MB (2 million) and 2920 MB (4 million). Nothing was
// measured on a GPU. With a larger cache, bandwidths and the flush before cold samples take roofCaches times more.
const (
	taskMemory = 480  // MB, whatever the matrix
	taskCache  = 32   // MB, the cache with which that was measured
	roofCaches = 4    // of package cpu
	gpuMemory  = 1500 // MB more for a GPU's driver and libraries
	perEntry   = 110  // bytes
	perRow     = 40   // bytes, and as many for each column
)

// memoryOf is the MB that a task needs for a matrix.
func memoryOf(size trial.Size, backends []string) int {
	mb := taskMemory + (perEntry*size.Nonzeros+perRow*(size.Rows+size.Cols))>>20
	if slices.Contains(backends, "cuda") {
		mb += gpuMemory
	}
	return mb
}

// Memory is what the largest task of a plan needs, in MB.
func (p Plan) Memory() int {
	return lists.Most(p.Chunks, func(c Chunk) int { return c.Memory })
}

// CacheMemory is what a task needs beyond that on a processor with a last-level cache of some bytes, in MB.
func CacheMemory(cache int64) int { return max(0, roofCaches*(int(cache>>20)-taskCache)) }
