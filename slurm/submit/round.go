package submit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"spmvtune/configs"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

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

// A dispatch sends a round.
type dispatch struct {
	ctx    context.Context
	client *sbatch.Client
	run    *slurm.Run
	slurm  configs.Slurm

	most    int            // most is the largest number of tasks in an array.
	running int            // running is the number of jobs of earlier rounds that have not ended.
	earlier []sbatch.JobID // earlier are the arrays among them.
	cluster string
	chunks  int   // chunks is the number of chunks of the round.
	kinds   []int // kinds are their kinds.
	round   Round
}

// arrays sends the arrays of tasks, as many as a limit of submitted jobs allows.
func (d *dispatch) arrays() error {
	for base := 0; base < d.chunks; {
		n := min(d.most, alike(d.kinds[base:]), d.room(base))
		if n <= 0 && base == 0 && len(d.earlier) == 0 {
			// A job that only merges would send another one for ever.
			return d.incomplete(fmt.Errorf("max_submit = %d leaves no room for a task beside the jobs that merge: "+
				"raise it to 3 or more", d.slurm.MaxSubmit), false)
		}
		if n <= 0 {
			d.round.Rest, d.round.Limit = d.chunks-base, "max_submit"
			return nil
		}
		err := d.array(base, n)
		limit := limitOf(err)
		if limit == "" && err != nil {
			return err
		}
		if limit != "" {
			if n, err = d.fit(base, n, err); err != nil {
				return err
			}
			d.round.Rest, d.round.Limit = d.chunks-base-n, limit
			return nil
		}
		base += n
	}
	return nil
}

// limitOf names the limit of submitted jobs because of which there is certainly no job.
func limitOf(err error) string {
	var incomplete *IncompleteError
	if errors.As(err, &incomplete) && incomplete.Unresolved {
		return ""
	}
	return sbatch.SubmitLimit(err)
}

// room is how many tasks max_submit leaves room for when some of the round were sent.
func (d *dispatch) room(sent int) int {
	if d.slurm.MaxSubmit == 0 {
		return d.chunks
	}
	room := d.slurm.MaxSubmit - d.running - sent
	if !d.slurm.Finish.Off {
		room--
	}
	return room
}

// array sends an array of n tasks, from a chunk of the round.
func (d *dispatch) array(base, n int) error {
	b := slurm.Batch{
		Name: fmt.Sprintf("%s.%d.%d", d.run.JobName(), d.round.Number, len(d.round.Jobs)), Round: d.round.Number,
		Base: base, Kind: d.kinds[base], Tasks: n,
	}
	return d.send(b, afterOf(d.slurm, arrays(d.round.Jobs), d.earlier, d.cluster))
}

// fit sends an array of as many tasks as a limit allows, less than n of which it has refused,
// and returns how many. Slurm says by --test-only what would go; one job is left for the merging.
func (d *dispatch) fit(base, n int, refused error) (int, error) {
	few, many := 0, n // few fit, many do not
	for many-few > 1 {
		tasks := (few + many) / 2
		b := slurm.Batch{Name: d.run.JobName(), Kind: d.kinds[base], Tasks: tasks + 1}
		_, err := d.client.TestOnly(d.ctx, optionsOf(d.run, b, d.slurm), d.run.TaskScriptText(d.slurm))
		var silent *sbatch.NoAnswerError
		switch {
		case sbatch.SubmitLimit(err) != "":
			many = tasks
		case errors.As(err, &silent):
			return 0, d.incomplete(err, false)
		default:
			few = tasks
		}
	}

	if few == 0 {
		if len(d.round.Jobs) == 0 {
			return 0, d.incomplete(fmt.Errorf("%w: wait until other jobs have ended, or ask for a higher limit (%s)", refused,
				sbatch.SubmitLimit(refused)), false)
		}
		return 0, nil
	}
	return few, d.array(base, few)
}

// finish sends the job that merges. Where a limit has no room for it, the last task makes some, and
// is left for Rest.
func (d *dispatch) finish() error {
	if d.slurm.Finish.Off {
		return nil
	}
	b := finishOf(d.run, d.round.Number)
	// It also waits for what is left of earlier rounds.
	after := afterAny(ids(arrays(d.round.Jobs), d.earlier, d.cluster))
	err := d.send(b, after)
	if limit := limitOf(err); limit != "" && d.sent() > 1 {
		if err := d.takeBack(); err != nil {
			return d.incomplete(err, false)
		}
		d.round.Rest, d.round.Limit = d.round.Rest+1, limit
		err = d.send(b, after)
	}
	return err
}

// sent is the number of tasks that were sent.
func (d *dispatch) sent() (n int) {
	for _, j := range d.round.Jobs {
		n += j.Tasks
	}
	return n
}

// takeBack cancels the last task that was sent.
func (d *dispatch) takeBack() error {
	at := len(d.round.Jobs) - 1
	j := d.round.Jobs[at]
	task := sbatch.JobID{ID: fmt.Sprintf("%s_%d", j.ID, j.Tasks-1), Cluster: j.Cluster}
	if err := d.client.Cancel(d.ctx, []sbatch.JobID{task}); err != nil {
		return err // the task may still be there
	}
	if d.round.Jobs[at].Tasks--; j.Tasks == 1 {
		d.round.Jobs = d.round.Jobs[:at]
		j.Outcome, j.Said = slurm.Refused, "cancelled, to make room for the job that merges"
	} else {
		j.Tasks--
	}
	return d.run.Note(j, nil)
}

// send sends a job of the round.
func (d *dispatch) send(b slurm.Batch, after string) error {
	sent, err := send(d.ctx, d.client, d.run, d.cluster, b, argsOf(d.run, b, d.slurm, after))
	if err != nil {
		return d.incomplete(err, sent.Outcome == slurm.Intended)
	}
	d.round.Jobs = append(d.round.Jobs, sent)
	// Of several allowed clusters, the whole round goes to that of the first job.
	d.cluster = sent.Cluster
	return nil
}

func (d *dispatch) incomplete(err error, unresolved bool) error {
	all := (d.chunks + d.most - 1) / d.most
	if !d.slurm.Finish.Off {
		all++
	}
	return &IncompleteError{
		Dir: d.run.Dir, Sent: len(d.round.Jobs), All: max(all, len(d.round.Jobs)+1), Unresolved: unresolved, Err: err,
	}
}

// afterOf is what the next array of a round waits for: what the user said and, with a throttle, the
// array before, or those of earlier rounds that have not ended.
func afterOf(s configs.Slurm, sent, running []sbatch.JobID, cluster string) string {
	var all []string
	if s.Dependency != "" {
		all = append(all, s.Dependency)
	}
	if s.Throttle > 0 {
		before := running
		if len(sent) > 0 {
			before = sent[len(sent)-1:]
		}
		if after := afterAny(ids(before, nil, cluster)); after != "" {
			all = append(all, after)
		}
	}
	return strings.Join(all, ",")
}

// afterAny is the dependency of a job that starts when others have ended, in any way.
func afterAny(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return "afterany:" + strings.Join(ids, ":")
}

// arrays returns the ids of the arrays of tasks among jobs.
func arrays(jobs []slurm.Sent) []sbatch.JobID {
	var list []sbatch.JobID
	for _, j := range jobs {
		if j.ID != "" && !j.Finish() {
			list = append(list, j.JobID)
		}
	}
	return list
}

// arraysOf returns the ids of the arrays that tasks belong to.
func arraysOf(jobs []sbatch.Job) []sbatch.JobID {
	var list []sbatch.JobID
	for _, j := range jobs {
		if j.Task >= 0 {
			list = append(list, j.JobID)
		}
	}
	return list
}

// ids returns the ids of a cluster in first and then, each once.
func ids(first, then []sbatch.JobID, cluster string) []string {
	var list []string
	for _, id := range slices.Concat(first, then) {
		if id.Cluster == cluster && !slices.Contains(list, id.ID) {
			list = append(list, id.ID)
		}
	}
	return list
}
