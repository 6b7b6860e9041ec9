// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/slurm/status"
)

// Retried says what a retry did about the chunks that are not done.
type Retried struct {
	// Round is nil if there was nothing to send. It has no array if only the job that merges
	// was missing.
	Round *Round `json:"round,omitempty"`
	// Recovered are earlier submissions that had broken off.
	Recovered []slurm.Sent `json:"settled,omitempty"`
	// Again are the chunks that were sent as they were.
	Again []string `json:"again,omitempty"`
	// Split are the chunks whose halves were sent.
	Split []SplitChunk `json:"split,omitempty"`
	// OutOfMemory are chunks that were not sent, because they need more memory.
	OutOfMemory []status.Chunk `json:"out_of_memory,omitempty"`
	// More is what tasks ask for because the last ones ran out of it: "mem = 8G".
	More []string `json:"more,omitempty"`
	// Avoided are the nodes that are not used any more, because tasks failed alike there.
	Avoided []status.Gathering `json:"avoided,omitempty"`
	// Notes are what the test of the jobs said.
	Notes []string `json:"notes,omitempty"`
	// Active are chunks that were not sent, because they run or wait, or may do so.
	Active []status.Chunk `json:"active,omitempty"`
	Done   int            `json:"done"`
}

// A SplitChunk is a chunk that was too long for a task.
type SplitChunk struct {
	Chunk string   `json:"chunk"`
	Into  []string `json:"into"`
}

// RetryOptions say how a retry differs from what the run asked for.
type RetryOptions struct {
	// Set are keys of [slurm] with other values, and Exclude are nodes that are not used. Both
	// hold for later retries, too. An empty value takes a key back.
	Set     map[string]string
	Exclude []string
	// Dependency is what the tasks wait for; nil: what the submit was told, if none of its jobs is there.
	Dependency *string
	// Rest sends only what a limit of submitted jobs left over, as far as there is room now. It sends nothing if no
	// chunk is done: what ended the first tasks would end the others.
	Rest bool
}

// Retry submits, as a round of its own, the chunks that are not complete and have no task. A chunk
// that ran out of time or memory is sent with more of it, where the sweep or RetryOptions say how much.
// Otherwise the first is sent as its halves, and the second is not sent. If everything that is
// missing has tasks, but a submission broke off before the job that merges, Retry sends that.
//
// Slurm must answer: a job that it does not mention might be running. After an error, Retried
// has only what was done before: Recovered, and the jobs of Round that were sent.
func Retry(ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm, opt RetryOptions) (Retried, error) {
	if opt.Rest {
		if unsent, err := r.Unsent(); err != nil || len(unsent) == 0 {
			return Retried{}, err
		}
	}
	if err := inPlace(r, true); err != nil {
		return Retried{}, err
	}
	unlock, err := r.Lock(ctx)
	if err != nil {
		return Retried{}, err
	}
	defer unlock()

	number := r.NextRound()
	recovered, err := Recover(ctx, c, r)
	broken := Retried{Recovered: recovered}
	if err != nil {
		return broken, err
	}
	d, err := newDecision(ctx, c, r, s, opt)
	if err != nil {
		return broken, err
	}
	d.Recovered = recovered
	if opt.Rest && (len(d.send) == 0 || d.Done == 0) {
		return d.Retried, nil
	}
	if len(d.send) == 0 {
		if d.Round, err = sendFinish(ctx, c, r, d.slurm, len(d.Active) > 0); err == nil {
			err = d.keep(r)
		}
		return d.Retried, err
	}

	err = d.check(ctx, c, r)
	if err == nil {
		err = d.keep(r)
	}
	if err != nil {
		return broken, err
	}
	round, err := sendRound(ctx, c, r, d.slurm, number, d.send)
	if err != nil {
		if len(round.Jobs) > 0 {
			broken.Round = &round
		}
		return broken, err
	}
	d.Round = &round
	return d.Retried, nil
}

// settle returns s with what this retry and earlier ones were told, and keeps it in d. Dependencies that the submit
// was told hold until something was sent.
func (d *decision) settle(r *slurm.Run, ledger *slurm.Ledger, s configs.Slurm, opt RetryOptions) (configs.Slurm, error) {
	d.kept, d.told = ledger.Settings, len(opt.Set) > 0
	d.kept.Set = maps.Clone(d.kept.Set)
	for key, value := range opt.Set {
		if key == "exclude" {
			d.kept.Exclude = nil
		}
		if d.kept.Set == nil {
			d.kept.Set = map[string]string{}
		}
		if d.kept.Set[key] = value; value == "" {
			delete(d.kept.Set, key)
		}
	}
	d.exclude(opt.Exclude)

	for _, key := range slices.Sorted(maps.Keys(d.kept.Set)) {
		if err := s.Set(key, d.kept.Set[key]); err != nil {
			return s, err
		}
	}
	if d.kept.Set["mem"] != "" { // sbatch takes no other option for memory beside it
		s.Extra = slices.DeleteFunc(slices.Clone(s.Extra), func(o string) bool { return strings.HasPrefix(o, "--mem-per-") })
	}
	s.Exclude = strings.Join(append(nodesOf(s.Exclude), d.kept.Exclude...), ",")
	if d.kept.Throttle != nil {
		s.Throttle = *d.kept.Throttle
	}
	switch {
	case opt.Dependency != nil:
		s.Dependency = *opt.Dependency
	case len(slurm.JobIDs(ledger.Jobs)) == 0:
		s.Dependency = r.Dependency
	}
	return s, nil
}

// exclude adds nodes to those that are not used.
func (d *decision) exclude(nodes []string) {
	for _, node := range nodes {
		if !slices.Contains(d.kept.Exclude, node) {
			d.kept.Exclude, d.told = append(slices.Clip(d.kept.Exclude), node), true
		}
	}
}

// keep notes what retries are told from now on, if that has changed.
func (d *decision) keep(r *slurm.Run) error {
	if !d.told {
		return nil
	}
	return r.NoteSettings(d.kept)
}

// Next sends chunks of the run's plan as the next round: arrays of tasks, as long as the cluster
// allows, and the job that merges when they have ended. If the sweep has a throttle, each array
// waits for the one before. What a limit of submitted jobs leaves over is for a later retry. Once something
// may have been sent, errors are of type *IncompleteError. The caller holds the run's Lock.
func Next(
	ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm, chunks []slurm.Chunk,
) (Round, error) {
	return sendRound(ctx, c, r, s, r.NextRound(), chunks)
}

// sendRound is Next for a number that was the next one before the decision what to send.
func sendRound(
	ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm, number int, chunks []slurm.Chunk,
) (Round, error) {
	if len(chunks) == 0 {
		return Round{}, errors.New("nothing to submit")
	}
	if err := inPlace(r, true); err != nil {
		return Round{}, err
	}
	config, err := Ready(ctx, c, s, len(chunks))
	if err != nil {
		return Round{}, err
	}
	ledger, err := r.Ledger()
	if err != nil {
		return Round{}, err
	}
	before := ledger.Jobs
	running, err := running(ctx, c, slurm.JobIDs(ledger.Jobs))
	if err != nil {
		return Round{}, err
	}
	own := arrays(before)
	earlier := arraysOf(lists.Where(running, func(j sbatch.Job) bool { return slices.Contains(own, j.JobID) }))
	// There are few arrays if chunks of a kind come together.
	slices.SortStableFunc(chunks, func(a, b slurm.Chunk) int { return a.Kind - b.Kind })
	names := lists.Of(chunks, func(c slurm.Chunk) string { return c.ID })
	if err := r.WriteRound(number, names); err != nil {
		return Round{}, err
	}

	d := &dispatch{
		ctx: ctx, client: c, run: r, slurm: s, most: config.MaxArraySize, running: len(running),
		earlier: earlier, cluster: clusterOf(before), chunks: chunks, round: Round{Number: number},
	}
	if err := d.arrays(); err != nil {
		return d.round, err
	}
	return d.round, d.finish()
}

// clusterOf is the cluster that a new round goes to: the chosen one, or that of earlier rounds.
func clusterOf(before []slurm.Sent) string {
	if chosen := sbatch.ChosenCluster(); chosen != "" || len(before) == 0 {
		return chosen
	}
	return before[len(before)-1].Cluster
}
