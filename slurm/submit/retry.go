package submit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"spmvtune/configs"
	"spmvtune/internal/base/files"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
	"spmvtune/slurm/status"
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

// Options say how a retry differs from what the run asked for.
type Options struct {
	// Set are keys of [slurm] with other values, and Exclude are nodes that are not used. Both
	// hold for later retries, too. An empty value takes a key back.
	Set     map[string]string
	Exclude []string
	// Dependency is what the tasks wait for; nil: what the submit was told, if none of its jobs is there.
	Dependency *string
	// rest sends only what a limit of submitted jobs left over.
	rest bool
}

// Retry submits, as a round of its own, the chunks that are not complete and have no task. A chunk
// that ran out of time or memory is sent with more of it, where the sweep or Options say how much.
// Otherwise the first is sent as its halves, and the second is not sent. If everything that is
// missing has tasks, but a submission broke off before the job that merges, Retry sends that.
//
// Slurm must answer: a job that it does not mention might be running. After an error, Retried
// has only what was done before: Recovered, and the jobs of Round that were sent.
func Retry(ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm, opt Options) (Retried, error) {
	if err := inPlace(r); err != nil {
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
	s, kept, err := settled(r, s, opt)
	if err != nil {
		return broken, err
	}
	if s.Dependency, err = dependencyOf(r, opt); err != nil {
		return broken, err
	}
	seen, err := status.Chunks(ctx, c, r)
	if err != nil {
		return broken, err
	}
	d, err := newDecision(r, s, opt, seen)
	if err != nil {
		return broken, err
	}
	d.Recovered, d.kept = recovered, kept
	if opt.rest && (len(d.send) == 0 || d.Done == 0) {
		return d.Retried, nil
	}
	if len(d.send) == 0 {
		if d.Round, err = sendFinish(ctx, c, r, s, len(d.Active) > 0); err == nil {
			err = d.kept.write(r)
		}
		return d.Retried, err
	}

	if d.slurm.Throttle, err = throttleOf(r, s.Throttle); err != nil {
		return broken, err
	}
	if err := d.check(ctx, c, r); err != nil {
		return broken, err
	}
	if err := d.kept.write(r); err != nil {
		return broken, err
	}
	round, err := sendRound(ctx, c, r, d.slurm, number, d.send, d.grown)
	if err != nil {
		if len(round.Jobs) > 0 {
			broken.Round = &round
		}
		return broken, err
	}
	d.Round = &round
	return d.Retried, nil
}

// dependencyOf is what the tasks of a retry wait for. What the submit was told holds until something was sent.
func dependencyOf(r *slurm.Run, opt Options) (string, error) {
	if opt.Dependency != nil {
		return *opt.Dependency, nil
	}
	jobs, err := r.Jobs()
	if err != nil || len(slurm.JobIDs(jobs)) > 0 {
		return "", err
	}
	return r.Dependency, nil
}

// settingsFile keeps what retry was told, and the nodes that it avoids.
const settingsFile = "settings.json"

// settings are what retries ask for in another way than the sweep.
type settings struct {
	Set     map[string]string `json:"set,omitempty"`
	Exclude []string          `json:"exclude,omitempty"`
	changed bool
}

func readSettings(r *slurm.Run) (s settings, err error) {
	data, err := r.Read(settingsFile)
	if errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err != nil {
		return s, fmt.Errorf("reading what retry was told: %w", err)
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return s, fmt.Errorf("reading %s: %w: delete it, and give retry its options again", r.Path(settingsFile), err)
	}
	return s, nil
}

// write keeps the settings, if they have changed.
func (s settings) write(r *slurm.Run) error {
	if !s.changed {
		return nil
	}
	data, err := json.Marshal(s)
	if err != nil {
		return err
	}
	if err := files.Write(r.Path(settingsFile), append(data, '\n')); err != nil {
		return fmt.Errorf("keeping what retry was told: %w", err)
	}
	return nil
}

// settled returns s with what this retry and earlier ones were told, and what of that is to be kept.
func settled(r *slurm.Run, s configs.Slurm, opt Options) (configs.Slurm, settings, error) {
	kept, err := readSettings(r)
	if err != nil {
		return s, kept, err
	}
	kept.changed = len(opt.Set) > 0
	for key, value := range opt.Set {
		if key == "exclude" {
			kept.Exclude = nil
		}
		if kept.Set == nil {
			kept.Set = map[string]string{}
		}
		if kept.Set[key] = value; value == "" {
			delete(kept.Set, key)
		}
	}
	kept.exclude(opt.Exclude)

	for _, key := range slices.Sorted(maps.Keys(kept.Set)) {
		if err := s.Set(key, kept.Set[key]); err != nil {
			return s, kept, err
		}
	}
	if kept.Set["mem"] != "" { // sbatch takes no other option for memory beside it
		s.Extra = slices.DeleteFunc(slices.Clone(s.Extra), func(o string) bool { return strings.HasPrefix(o, "--mem-per-") })
	}
	s.Exclude = strings.Join(append(nodesOf(s.Exclude), kept.Exclude...), ",")
	return s, kept, nil
}

// exclude adds nodes to those that are not used.
func (s *settings) exclude(nodes []string) {
	for _, node := range nodes {
		if !slices.Contains(s.Exclude, node) {
			s.Exclude, s.changed = append(s.Exclude, node), true
		}
	}
}

// Next sends chunks of the run's plan as the next round: arrays of tasks, as long as the cluster
// allows, and the job that merges when they have ended. If the sweep has a throttle, each array
// waits for the one before. What a limit of submitted jobs leaves over is for Rest. Once something
// may have been sent, errors are of type *IncompleteError. The caller holds the run's Lock.
func Next(ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm, chunks []string) (Round, error) {
	return sendRound(ctx, c, r, s, r.NextRound(), chunks, nil)
}

// sendRound is Next for a number that was the next one before the decision what to send. If
// grown is not nil, it becomes the plan of the run.
func sendRound(
	ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm, number int, chunks []string,
	grown *slurm.Plan,
) (Round, error) {
	if len(chunks) == 0 {
		return Round{}, errors.New("nothing to submit")
	}
	if err := inPlace(r); err != nil {
		return Round{}, err
	}
	config, err := Ready(ctx, c, s, len(chunks))
	if err != nil {
		return Round{}, err
	}
	before, err := r.Jobs()
	if err != nil {
		return Round{}, err
	}
	running, err := c.Jobs(ctx, slurm.JobIDs(before))
	if err != nil {
		return Round{}, err
	}
	running = slices.DeleteFunc(running, func(j sbatch.Job) bool { return j.State.Terminal() })
	own := arrays(before)
	earlier := arraysOf(slices.DeleteFunc(slices.Clone(running),
		func(j sbatch.Job) bool { return !slices.Contains(own, j.JobID) }))
	kinds, err := sortKinds(r, chunks, grown)
	if err != nil {
		return Round{}, err
	}
	if err := r.WriteRound(number, chunks); err != nil {
		return Round{}, err
	}
	if grown != nil {
		if err := r.ReplacePlan(*grown); err != nil {
			return Round{}, err
		}
	}

	d := dispatch{
		ctx: ctx, client: c, run: r, slurm: s, most: config.MaxArraySize, running: len(running),
		earlier: earlier, cluster: clusterOf(before), chunks: len(chunks), kinds: kinds, round: Round{Number: number},
	}
	if err := d.arrays(); err != nil {
		return d.round, err
	}
	return d.round, d.finish()
}

// sortKinds sorts the chunks of a round by their kinds, so that there are few arrays, and returns the kinds.
func sortKinds(r *slurm.Run, chunks []string, grown *slurm.Plan) (kinds []int, err error) {
	if grown == nil {
		plan, err := r.Plan()
		if err != nil {
			return nil, err
		}
		grown = &plan
	}
	kindOf := grown.Kinds()
	slices.SortStableFunc(chunks, func(a, b string) int { return kindOf[a] - kindOf[b] })
	for _, id := range chunks {
		kinds = append(kinds, kindOf[id])
	}
	return kinds, nil
}

// clusterOf is the cluster that a new round goes to: the chosen one, or that of earlier rounds.
func clusterOf(before []slurm.Sent) string {
	if chosen := sbatch.ChosenCluster(); chosen != "" || len(before) == 0 {
		return chosen
	}
	return before[len(before)-1].Cluster
}
