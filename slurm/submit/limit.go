package submit

import (
	"errors"
	"fmt"

	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

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
