// SPDX-License-Identifier: Apache-2.0

// Package submit sends the jobs of a run: the chunks of its plan as arrays of tasks, and the job
// that merges when they have ended. It sends again what is not complete, cancels and throttles.
//
// Nothing is submitted twice, whatever fails. An intention is on disk before sbatch runs, and its
// answer right after. Where there is no answer, Slurm is asked for the job by its name.
package submit

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
)

// A Round is one submission: chunks, as arrays of tasks, and the job that ends it.
type Round struct {
	Number int `json:"round"`
	// Jobs are those that were sent.
	Jobs []slurm.Sent `json:"jobs"`
	// Rest is the number of chunks that were not sent, because of Limit.
	Rest int `json:"rest,omitempty"`
	// Limit is what bounds the jobs that are submitted at once: max_submit, or a limit of Slurm's.
	Limit string `json:"limit,omitempty"`
}

// Ready returns Slurm's configuration. Its error says why the cluster would accept the jobs but
// never start them.
func Ready(ctx context.Context, c *sbatch.Client, s configs.Slurm, chunks int) (sbatch.Config, error) {
	config, err := c.Config(ctx)
	if err != nil {
		return config, err
	}
	if config.MaxArraySize < 1 {
		return config, errors.New("the cluster has no job arrays (MaxArraySize is 0): ask its administrators for them")
	}
	if config.MaxJobs > 0 && min(chunks+1, cmp.Or(s.MaxSubmit, chunks+1)) > config.MaxJobs {
		return config, fmt.Errorf("%d tasks are more than the %d jobs that the cluster keeps at once (MaxJobCount): "+
			"make each task longer with chunk in [slurm], or send fewer at a time with max_submit",
			chunks, config.MaxJobs)
	}

	// A QOS may allow more time than the partition.
	for kind := range s.Kinds() {
		one := s.Of(kind)
		if one.Time == "" || one.QOS != "" {
			continue
		}
		limit, err := c.Limit(ctx, one.Partition)
		if err == nil {
			err = limit.Check(one.Time)
		}
		if err != nil {
			return config, err
		}
	}

	return config, nil
}

// An IncompleteError says that not all of a round was sent. What was sent runs.
type IncompleteError struct {
	Dir string // Dir is the folder of the run.
	// Sent and All are numbers of jobs of the round.
	Sent, All int
	// Unresolved says that the next job may have been sent.
	Unresolved bool
	Err        error
}

func (e *IncompleteError) Error() string {
	dir := term.Shell(e.Dir)
	next := fmt.Sprintf("nothing is submitted: spmvtune retry %s tries again", dir)
	switch {
	case e.Unresolved:
		next = fmt.Sprintf("Slurm may have accepted it: spmvtune retry %s finds out and goes on, spmvtune cancel %s stops",
			dir, dir)
	case e.Sent > 0 && e.Sent == e.All-1:
		next = fmt.Sprintf("all tasks are submitted, but not the job that merges: run spmvtune merge %s when they have ended",
			dir)
	case e.Sent > 0:
		next = fmt.Sprintf("%d before it are submitted: spmvtune retry %s submits the rest, spmvtune cancel %s stops",
			e.Sent, dir, dir)
	}
	return fmt.Sprintf("submitting job %d of %d: %v (%s)", e.Sent+1, e.All, e.Err, next)
}

func (e *IncompleteError) Unwrap() error { return e.Err }

// A Preview is what a submission would do.
type Preview struct {
	Dir     string   `json:"dir"`
	Scripts []Script `json:"scripts"`
	// Commands have their arguments. JOB1 stands for the id of the first job.
	Commands [][]string `json:"commands"`
}

// A Script is a file of the run's folder that a job runs.
type Script struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// PreviewOf shows what Next would run for the chunks of a plan, if arrays have at most most tasks.
// It writes nothing, and asks nobody.
func PreviewOf(r *slurm.Run, s configs.Slurm, plan slurm.Plan, most int) Preview {
	p := Preview{Dir: r.Dir, Scripts: []Script{
		{slurm.TaskScript, r.TaskScriptText(s)},
		{slurm.FinishScript, r.FinishScriptText(s)},
	}}

	s.MaxSubmit = 0
	d := dispatch{run: r, slurm: s, most: max(most, 1), chunks: plan.Chunks, preview: &p, round: Round{Number: r.NextRound()}}
	_, _ = d.arrays(), d.finish() // nobody refuses anything
	return p
}

// add adds the command that would submit b.
func (p *Preview) add(b slurm.Batch, args []string) slurm.Sent {
	command := []string{"sbatch"}
	if cluster := sbatch.ChosenCluster(); cluster != "" {
		command = append(command, "-M", cluster)
	}
	p.Commands = append(p.Commands, append(append(command, "--parsable"), args...))
	return slurm.Sent{Batch: b, JobID: sbatch.JobID{ID: fmt.Sprintf("JOB%d", len(p.Commands))}}
}

// limitOf names the limit of submitted jobs because of which there is certainly no job.
func limitOf(err error) string {
	if incomplete, ok := errors.AsType[*IncompleteError](err); ok && incomplete.Unresolved {
		return ""
	}
	return sbatch.SubmitLimit(err)
}

// room is how many tasks max_submit leaves room for when some of the round were sent.
func (d *dispatch) room(sent int) int {
	if d.slurm.MaxSubmit == 0 {
		return len(d.chunks)
	}
	room := d.slurm.MaxSubmit - d.running - sent
	if !d.slurm.Finish.Off {
		room--
	}
	return room
}

// fit sends an array of as many tasks as a limit allows, less than n of which it has refused,
// and returns how many. Slurm says by --test-only what would go; one job is left for the merging.
func (d *dispatch) fit(base, n int, refused error) (int, error) {
	few, many := 0, n // few fit, many do not
	for many-few > 1 {
		tasks := (few + many) / 2
		b := slurm.Batch{Name: d.run.JobName(), Kind: d.chunks[base].Kind, Tasks: tasks + 1}
		_, err := d.client.TestOnly(d.ctx, optionsOf(d.run, b, d.slurm), d.run.TaskScriptText(d.slurm))
		switch {
		case sbatch.SubmitLimit(err) != "":
			many = tasks
		case sbatch.Silent(err):
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

// sent is the number of tasks that were sent.
func (d *dispatch) sent() int {
	return lists.Sum(d.round.Jobs, func(j slurm.Sent) int { return j.Tasks })
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
	return d.run.Note(j)
}
