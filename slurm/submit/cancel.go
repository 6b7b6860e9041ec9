// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
	"example.org/spmvtune/slurm/status"
)

// Cancelled says what became of the jobs of a run that had not ended, with every task of an array as a job.
type Cancelled struct {
	Jobs []sbatch.Job
	Left []Left // Left are those that this user could not cancel, or does not see.
}

// A Left says which jobs of a user were left alone.
type Left struct {
	User string `json:"user"`
	// Jobs are their ids, as far as the run knows them.
	Jobs []string `json:"jobs,omitempty"`
	Why  string   `json:"why"` // Why is the rest of a sentence that begins with the jobs.
}

// Cancel cancels all jobs of the run that have not ended, in all rounds. It waits for a submission in progress.
// Slurm decides whether this user may cancel what others sent.
func Cancel(ctx context.Context, c *sbatch.Client, r *slurm.Run) (done Cancelled, err error) {
	unlock, err := r.Lock(ctx)
	if err != nil {
		return done, err
	}
	defer unlock()

	if _, err := Recover(ctx, c, r); err != nil {
		return done, err
	}
	ledger, err := r.Ledger()
	if err != nil {
		return done, err
	}
	jobs, err := activeJobs(ctx, c, r, ledger)
	if err != nil {
		return done, err
	}
	users := usersOf(ledger, jobs)
	for _, user := range slices.Sorted(maps.Keys(users)) {
		jobs, ids := users[user], jobIDsOf(users[user])
		err := c.Cancel(ctx, ids)
		switch {
		case err == nil:
			done.Jobs = append(done.Jobs, jobs...)
		case user != "" && sbatch.Refusal(err) != "":
			names := lists.Of(ids, func(id sbatch.JobID) string { return id.ID })
			done.Left = append(done.Left, Left{user, names, "could not be cancelled: " + sbatch.Refusal(err)})
		default:
			return done, err
		}
	}

	hidden, err := Hidden(ctx, c, r)
	done.Left = append(done.Left, hidden...)
	return done, err
}

// Hidden returns the jobs of other users that may run and that Slurm does not show this user.
func Hidden(ctx context.Context, c *sbatch.Client, r *slurm.Run) (left []Left, err error) {
	s, err := status.Certain(ctx, c, r)
	for _, user := range slices.Sorted(maps.Keys(s.Hidden)) {
		why := "may run, wait or have ended: you don't see the jobs of others (PrivateData)"
		left = append(left, Left{user, slices.Sorted(slices.Values(s.Hidden[user])), why})
	}
	return left, err
}

// usersOf returns jobs by who sent them, if that was not this user; "" is this user, or not known.
func usersOf(ledger *slurm.Ledger, jobs []sbatch.Job) map[string][]sbatch.Job {
	users := map[string][]sbatch.Job{}
	for _, j := range jobs {
		sent, _ := lists.First(ledger.Jobs, func(s slurm.Sent) bool { return s.Name == j.Name && s.User != slurm.Me() })
		users[sent.User] = append(users[sent.User], j)
	}
	return users
}

// activeJobs asks Slurm for the jobs of the run that have not ended. They are not those of a copy of its folder.
func activeJobs(ctx context.Context, c *sbatch.Client, r *slurm.Run, ledger *slurm.Ledger) ([]sbatch.Job, error) {
	if err := inPlace(r, false); err != nil {
		return nil, err
	}
	jobs, err := c.Jobs(ctx, slurm.JobIDs(ledger.Jobs))
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", r.JobName(), err)
	}
	if ledger.LastRound() > 0 || ledger.Forgetful {
		stray, err := status.Stray(ctx, c, r, ledger.Jobs) // about which the ledger has lost its lines
		if err != nil {
			return nil, err
		}
		jobs = append(jobs, stray...)
	}

	// The number of a job that ended long ago may belong to another one now.
	return slices.DeleteFunc(jobs, func(j sbatch.Job) bool {
		return j.State.Terminal() || !strings.HasPrefix(j.Name, r.JobName()+".")
	}), nil
}

// jobIDsOf returns the ids of jobs, each once.
func jobIDsOf(jobs []sbatch.Job) []sbatch.JobID {
	return lists.Distinct(jobs, func(j sbatch.Job) sbatch.JobID { return j.JobID })
}

// Throttle lets at most n tasks of the run run at once; 0 removes the bound. It applies to arrays that
// have not ended, which it returns, and to those that are sent later. Tasks that run already go on.
// Of several arrays, each waits for the one before.
func Throttle(ctx context.Context, c *sbatch.Client, r *slurm.Run, n int) ([]sbatch.JobID, error) {
	unlock, err := r.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()

	ledger, err := r.Ledger()
	if err != nil {
		return nil, err
	}
	jobs, err := activeJobs(ctx, c, r, ledger)
	if err != nil {
		return nil, err
	}
	ledger.Settings.Throttle = &n
	if err := r.NoteSettings(ledger.Settings); err != nil {
		return nil, err
	}
	arrays := arraysOf(jobs)
	for i, id := range arrays {
		err := c.Throttle(ctx, id, n)
		if err == nil && !waitsForOthers(ledger.Jobs, id) {
			err = chain(ctx, c, arrays[:i], id, n)
		}
		if err != nil {
			return arrays[:i], err
		}
	}

	return arrays, nil
}

// chain lets an array wait for the last one before it on its cluster or, without a throttle, for none.
func chain(ctx context.Context, c *sbatch.Client, before []sbatch.JobID, id sbatch.JobID, n int) error {
	if n == 0 {
		return c.After(ctx, id, "")
	}
	for _, b := range slices.Backward(before) {
		if b.Cluster == id.Cluster {
			return c.After(ctx, id, afterAny(b.Cluster, b))
		}
	}
	return nil
}

// waitsForOthers reports whether the user let an array wait for something.
func waitsForOthers(sent []slurm.Sent, id sbatch.JobID) bool {
	own := arrays(sent)
	array, _ := lists.First(sent, func(j slurm.Sent) bool { return j.JobID == id })
	for part := range strings.SplitSeq(array.Option("dependency"), ",") {
		kind, after, _ := strings.Cut(part, ":")
		foreign := func(other string) bool {
			return !slices.Contains(own, sbatch.JobID{ID: other, Cluster: id.Cluster})
		}
		if part != "" && (kind != "afterany" || slices.ContainsFunc(strings.Split(after, ":"), foreign)) {
			return true
		}
	}
	return false
}
