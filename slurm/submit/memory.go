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
// partition of each kind. What a large cache takes is left out where no node has as much.
func (checked *Checked) withMemory(
	ctx context.Context, t tester, config sbatch.Config, need int, cache Caches,
) error {
	if slurm.SaysMemory(checked.Slurm) {
		return nil
	}
	for kind := range checked.Slurm.Kinds() {
		needs := []int{need}
		if more := slurm.CacheMemory(cache(kind)); need > 0 && more > 0 {
			needs = []int{need + more, need}
		}
		if err := checked.kindMemory(ctx, t, config, kind, needs); err != nil {
			return err
		}
	}
	return nil
}

// kindMemory asks for the MB that tasks of a kind need, the first of several numbers that some node has. A guess
// that no node can give is only a note.
func (checked *Checked) kindMemory(ctx context.Context, t tester, config sbatch.Config, kind int, needs []int) error {
	s := checked.Slurm.Of(kind)
	limit, err := t.client.Limit(ctx, s.Partition)
	if err != nil {
		return err
	}
	has, key := limit.Memory(config, max(s.CPUs, 1))
	if has == 0 || has >= needs[0] {
		return nil
	}

	tasks, a := "the largest task", "a task"
	if kinds := checked.Slurm.Kinds(); kinds > 1 {
		tasks, a = fmt.Sprintf("the largest task of array %d", kind+1), "it"
	}
	note := fmt.Sprintf("%s may need %dM, and %s would get %dM on this cluster (%s): ", tasks, needs[0], a, has, key)
	for _, need := range needs {
		s.Mem = fmt.Sprintf("%dM", need)
		var refused *sbatch.RefusedError
		if _, err := t.task(s); need <= has || errors.As(err, &refused) && strings.Contains(refused.Said, notAvailable) {
			continue
		}
		it := "it"
		if need < needs[0] {
			it = "no node has as much, and " + s.Mem
		}
		checked.Slurm = checked.Slurm.With(kind, "mem", s.Mem)
		checked.Notes = append(checked.Notes, note+it+" is asked for; mem in [slurm] says otherwise")
		return nil
	}
	checked.Notes = append(checked.Notes, note+"no node can give as much")
	return nil
}
