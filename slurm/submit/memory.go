package submit

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"spmvtune/slurm"
	"spmvtune/slurm/sbatch"
)

// withMemory asks for the MB that tasks need, where a job that asks for nothing would get less: in the
// partition of each kind.
func (checked *Checked) withMemory(ctx context.Context, t tester, config sbatch.Config, need int) error {
	if slurm.SaysMemory(checked.Slurm) {
		return nil
	}
	for kind := range checked.Slurm.Kinds() {
		if err := checked.kindMemory(ctx, t, config, kind, need); err != nil {
			return err
		}
	}
	return nil
}

// kindMemory asks for the MB that tasks of a kind need. A guess that no node can give is only a note.
func (checked *Checked) kindMemory(ctx context.Context, t tester, config sbatch.Config, kind, need int) error {
	s := checked.Slurm.Of(kind)
	limit, err := t.client.Limit(ctx, s.Partition)
	if err != nil {
		return err
	}
	has, key := limit.Memory(config, max(s.CPUs, 1))
	if has == 0 || has >= need {
		return nil
	}

	s.Mem = fmt.Sprintf("%dM", need)
	tasks, a := "the largest task", "a task"
	if kinds := checked.Slurm.Kinds(); kinds > 1 {
		tasks, a = fmt.Sprintf("the largest task of array %d", kind+1), "it"
	}
	note := fmt.Sprintf("%s may need %s, and %s would get %dM on this cluster (%s): ", tasks, s.Mem, a, has, key)
	var refused *sbatch.RefusedError
	if _, err := t.task(s); errors.As(err, &refused) && strings.Contains(refused.Said, notAvailable) {
		note += "no node can give as much"
	} else {
		checked.Slurm = checked.Slurm.With(kind, "mem", s.Mem)
		note += "it is asked for; mem in [slurm] says otherwise"
	}
	checked.Notes = append(checked.Notes, note)
	return nil
}
