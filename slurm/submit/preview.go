package submit

import (
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

// PreviewOf shows what Next would run for the chunks of a plan, if arrays have at most most tasks.
// It writes nothing, and asks nobody.
func PreviewOf(r *slurm.Run, s configs.Slurm, plan slurm.Plan, most int) Preview {
	p := Preview{Dir: r.Dir, Scripts: []Script{
		{slurm.TaskScript, r.TaskScriptText(s)},
		{slurm.FinishScript, r.FinishScriptText(s)},
	}}

	var sent []sbatch.JobID
	add := func(b slurm.Batch, after string) {
		command := []string{"sbatch"}
		if cluster := sbatch.ChosenCluster(); cluster != "" {
			command = append(command, "-M", cluster)
		}
		p.Commands = append(p.Commands, append(append(command, "--parsable"), argsOf(r, b, s, after)...))
		sent = append(sent, sbatch.JobID{ID: fmt.Sprintf("JOB%d", len(sent)+1)})
	}

	var kinds []int
	for _, c := range plan.Chunks {
		kinds = append(kinds, c.Kind)
	}
	for _, b := range batchesOf(r, r.NextRound(), kinds, max(most, 1)) {
		add(b, afterOf(s, sent, nil, ""))
	}
	if !s.Finish.Off {
		add(finishOf(r, r.NextRound()), afterAny(ids(sent, nil, "")))
	}
	return p
}
