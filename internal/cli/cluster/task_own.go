package cluster

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/slurm"
)

const (
	// mostBarren is the number of failed attempts that measured nothing, after which --next leaves a
	// chunk alone.
	mostBarren = 3
	// mostFailures is the number of such chunks in a row after which a process gives up: its machine is
	// at fault.
	mostFailures = 2
)

// A worker measures chunks in a process that Slurm did not start as a task.
type worker struct {
	run  *slurm.Run
	stop *stops
	log  *taskLog
	// kind is the only kind of chunks that it takes; -1 for any.
	kind int

	failed map[string]bool // failed are the chunks that it could not complete.
	taken  int
	barren int // barren counts the last chunks in a row of which nothing was measured.
}

// own measures a chunk, or all that it can take.
func (c *taskCommand) own(ctx context.Context, run *slurm.Run, stop *stops, log *taskLog) error {
	if c.next && c.chunk != "" {
		return command.Usage(errors.New("only one of --next and --chunk can be given"))
	}
	plan, err := run.Plan()
	if err != nil {
		return err
	}
	w := &worker{run: run, stop: stop, log: log, kind: c.array - 1, failed: map[string]bool{}}
	kinds := 1
	for _, p := range plan.Chunks {
		kinds = max(kinds, p.Kind+1)
	}
	if c.array < 0 || c.array > kinds {
		return command.Usage(fmt.Errorf("there is no array %d: the arrays of the run are 1 to %d", c.array, kinds))
	}
	if c.next {
		if kinds > 1 && c.array == 0 {
			return command.Usage(errors.New("the sweep has several [[slurm.array]]: say by --array which one's chunks " +
				"to take here, from 1"))
		}
		return w.all(ctx)
	}

	id := c.chunk
	if n, err := strconv.Atoi(id); err == nil {
		id = fmt.Sprintf("%04d", n)
	}
	at := slices.IndexFunc(plan.Chunks, func(p slurm.Chunk) bool { return p.ID == id })
	if at < 0 {
		return command.Usage(fmt.Errorf("the run has no chunk %s: it has %d, from %s", c.chunk, len(plan.Chunks),
			plan.Chunks[0].ID))
	}
	claim, err := run.Take(id)
	if errors.Is(err, slurm.ErrClaimed) {
		return &command.Error{Code: exitAgain, Err: err}
	}
	if err != nil {
		return err
	}
	return w.measure(ctx, plan.Chunks[at], claim)
}

// all takes chunk after chunk until none is left, or it is told to stop.
func (w *worker) all(ctx context.Context) error {
	for {
		chunk, claim, err := w.take(ctx)
		if err != nil {
			return err
		}
		if claim == nil {
			break
		}
		err = w.measure(ctx, chunk, claim)
		warned, ended := w.stop.received()
		if warned != 0 || ended != 0 {
			return cmp.Or(err, error(&command.Error{Code: exitAgain, Err: errors.New("told to stop")}))
		}
		if w.taken++; err == nil {
			continue
		}
		w.failed[chunk.ID] = true
		w.log.printf("chunk %s: %v", chunk.ID, err)
		if w.barren == mostFailures {
			return fmt.Errorf("%w: this process takes no more, because it measured nothing of %s in a row", err,
				chunks(mostFailures))
		}
	}

	w.log.printf("nothing is left to take; this process took %s", chunks(w.taken))
	if n := len(w.failed); n > 0 {
		return command.SomeFailed(fmt.Errorf("%s that it took %s not complete", chunks(n), term.Noun(n, "is", "are")),
			fmt.Sprintf("`%s` says why", onRun("status", w.run)))
	}
	return nil
}

// measure measures a chunk that this process has claimed.
func (w *worker) measure(ctx context.Context, chunk slurm.Chunk, claim *slurm.Claim) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer w.run.Keep(claim, cancel)()

	t := &task{run: w.run, work: slurm.Claimed(chunk, claim), stop: w.stop, log: w.log}
	err := t.attempt(ctx)
	warned, ended := w.stop.received()
	barren := err != nil && warned == 0 && ended == 0 && len(sumOf(t.ledgers).Measured) == 0
	if w.barren++; !barren {
		w.barren = 0
	}
	return errors.Join(err, w.run.Release(claim, barren))
}

// take claims a chunk: one that nobody has claimed yet, and of which no earlier run has measured anything,
// or, when there is none, one that the journals lack. It returns no claim when nothing is left to take.
func (w *worker) take(ctx context.Context) (slurm.Chunk, *slurm.Claim, error) {
	plan, err := w.run.Plan()
	if err != nil {
		return slurm.Chunk{}, nil, err
	}
	claims, err := w.run.Claims()
	if err != nil {
		return slurm.Chunk{}, nil, err
	}
	adopted, err := w.run.AdoptedChunks()
	if err != nil {
		return slurm.Chunk{}, nil, err
	}
	chunk, claim, err := w.first(plan, func(id string) bool {
		_, known := claims[id]
		return !known && !adopted[id]
	})
	if claim != nil || err != nil {
		return chunk, claim, err
	}

	missing, err := w.run.Missing(ctx)
	if err != nil {
		return slurm.Chunk{}, nil, err
	}
	return w.first(plan, func(id string) bool {
		c := claims[id]
		return !c.Live && c.Barren < mostBarren &&
			slices.ContainsFunc(missing, func(m slurm.Missing) bool { return m.Chunk == id })
	})
}

// first claims the first chunk that is good, and that neither Slurm nor another process has.
func (w *worker) first(plan slurm.Plan, good func(id string) bool) (slurm.Chunk, *slurm.Claim, error) {
	sent, err := w.sent()
	if err != nil {
		return slurm.Chunk{}, nil, err
	}
	for _, c := range plan.Current() {
		if w.failed[c.ID] || w.kind >= 0 && c.Kind != w.kind || sent[c.ID] || !good(c.ID) {
			continue
		}
		claim, err := w.run.Take(c.ID)
		if errors.Is(err, slurm.ErrClaimed) {
			continue
		}
		if err != nil {
			return c, nil, err
		}
		if sent, err = w.sent(); err != nil || sent[c.ID] { // since
			if err = errors.Join(err, w.run.Release(claim, false)); err != nil {
				return c, nil, err
			}
			continue
		}
		return c, claim, nil
	}
	return slurm.Chunk{}, nil, nil
}

// sent are the chunks that Slurm has, or may have.
func (w *worker) sent() (map[string]bool, error) {
	ledger, err := w.run.Ledger()
	if err != nil {
		return nil, err
	}
	return ledger.SentChunks()
}

// alone makes sure that a task of Slurm and another process don't measure a chunk at the same time. Each
// says that it has the chunk, by a round or a claim, before it looks for the other.
func (t *task) alone() error {
	if t.work.Claim != nil {
		return nil
	}
	claims, err := t.run.Claims()
	if c := claims[t.work.Chunk.ID]; c.Live {
		return fmt.Errorf("%w: %s", slurm.ErrClaimed, &c)
	}
	return err
}
