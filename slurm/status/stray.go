package status

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"spmvtune/slurm"
	"spmvtune/slurm/merge"
	"spmvtune/slurm/sbatch"
)

// askStray asks for what jobs.jsonl can't say: for jobs whose lines are lost, by the names of the
// runs, and whether this user sees the jobs of others.
func (o *Observer) askStray(ctx context.Context, v *View, runs ...*Tracker) {
	if v.err != nil {
		return
	}
	foreign := false
	for _, t := range runs {
		if t.err != nil || t.final() {
			continue
		}
		foreign = foreign || t.foreign(*v)
		uncovered := func(m merge.Missing) bool { return t.uncovered[m.Chunk] != nil }
		if !o.thorough && !t.Run.Forgetful() && !slices.ContainsFunc(t.missing, uncovered) {
			continue
		}
		jobs, err := Stray(ctx, o.Client, t.Run, t.jobs)
		if err != nil {
			v.err, v.Silent = err, err.Error()
			return
		}
		v.stray = append(v.stray, jobs...)
	}

	if foreign {
		v.private = Private(ctx, o.Client)
	}
}

// Stray asks Slurm for the active jobs of a run that are not among those it knows.
func Stray(ctx context.Context, c *sbatch.Client, run *slurm.Run, known []slurm.Sent) (stray []sbatch.Job, err error) {
	clusters := []string{sbatch.ChosenCluster()}
	for _, j := range known {
		clusters = append(clusters, j.Cluster)
	}
	slices.Sort(clusters)

	for _, cluster := range slices.Compact(clusters) {
		jobs, err := c.All(ctx, cluster, run.JobName()+".")
		if err != nil {
			return nil, err
		}
		for _, j := range jobs {
			is := func(s slurm.Sent) bool { return s.Name == j.Name }
			if !j.State.Terminal() && !slices.ContainsFunc(known, is) {
				stray = append(stray, j)
			}
		}
	}

	return stray, nil
}

// Private reports whether this user does not see jobs of others, or may not.
func Private(ctx context.Context, c *sbatch.Client) bool {
	config, err := c.Config(ctx)
	return err != nil || config.Private
}

// foreign reports whether somebody else has sent something that Slurm does not show.
func (t *Tracker) foreign(v View) bool {
	me := slurm.Me()
	seen := map[string]bool{}
	for id := range v.jobs {
		seen[id.name] = true
	}
	if t.Run.Forgetful() && t.Run.Owner() != me {
		return true
	}
	for chunk := range t.uncovered {
		if slices.ContainsFunc(t.uncovered[chunk], func(n int) bool { return t.Run.RoundUser(n) != me }) {
			return true
		}
	}
	return slices.ContainsFunc(t.jobs, func(j slurm.Sent) bool { return j.User != "" && j.User != me && !seen[j.Name] })
}

// hides reports whether a user's job may run without being seen.
func (v View) hides(user string) bool { return v.private && user != "" && user != slurm.Me() }

// explainHidden is said about a job of a user that can't be seen.
func explainHidden(user string) string {
	return fmt.Sprintf("may run, wait or have ended: %s sent it, and you don't see the jobs of others (PrivateData)", user)
}

// roundOf returns the round of a task of the run, by its name.
func (t *Tracker) roundOf(j sbatch.Job) (number int, is bool) {
	own, is := strings.CutPrefix(j.Name, t.Run.JobName()+".")
	round, rest, _ := strings.Cut(own, ".")
	number, err := strconv.Atoi(round)
	return number, is && err == nil && rest != "finish"
}

// unlisted says why a chunk may have a task about which jobs.jsonl has lost its line; "" if it has none. A job
// of a round that is lost may measure any chunk.
func (t *Tracker) unlisted(chunk string, v View) string {
	for _, j := range v.stray {
		if number, is := t.roundOf(j); is && t.rounds[number] == nil {
			return fmt.Sprintf("may be a task of job %s, about which the run has lost what says it", j.ID)
		}
	}
	if user := t.Run.Owner(); t.Run.Forgetful() && v.hides(user) {
		return explainHidden(user)
	}
	for _, number := range t.uncovered[chunk] {
		for _, j := range v.stray {
			if round, is := t.roundOf(j); is && round == number {
				return fmt.Sprintf("may be a task of job %s, about which %s has lost its line", j.ID, slurm.JobsFile)
			}
		}
		if user := t.Run.RoundUser(number); v.hides(user) {
			return explainHidden(user)
		}
	}
	return ""
}
