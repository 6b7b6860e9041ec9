package submit

import (
	"context"
	"fmt"

	"spmvtune/configs"
	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

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

// PreviewOf shows what Next would run for a number of chunks, if arrays have at most most tasks.
// It writes nothing, and asks nobody.
func PreviewOf(r *slurm.Run, s configs.Slurm, chunks, most int) Preview {
	p := Preview{Dir: r.Dir, Scripts: []Script{
		{slurm.TaskScript, r.TaskScriptText(s)},
		{slurm.FinishScript, r.FinishScriptText()},
	}}

	var jobs []string
	for i, b := range batchesOf(r, r.NextRound(), chunks, max(most, 1)) {
		var after []string
		switch {
		case b.Finish():
			after = jobs
		case s.Throttle > 0 && i > 0:
			after = jobs[i-1:]
		}
		command := []string{"sbatch"}
		if cluster := sbatch.ChosenCluster(); cluster != "" {
			command = append(command, "-M", cluster)
		}
		p.Commands = append(p.Commands, append(append(command, "--parsable"), argsOf(r, b, s, after)...))
		jobs = append(jobs, fmt.Sprintf("JOB%d", i+1))
	}

	return p
}

// TestOnly asks Slurm whether a task and the job that merges could ever start, and returns what
// it says about each. It makes no job and no folder.
func TestOnly(ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm) (said []string, err error) {
	if _, err := Ready(ctx, c, s, 1); err != nil {
		return nil, err
	}
	texts := []string{r.TaskScriptText(s), r.FinishScriptText()}
	for i, b := range batchesOf(r, 1, 1, 1) {
		answer, err := c.TestOnly(ctx, optionsOf(r, b, s), texts[i])
		if err != nil {
			return said, fmt.Errorf("testing %s: %w", b.Name, err)
		}
		said = append(said, answer)
	}

	return said, nil
}
