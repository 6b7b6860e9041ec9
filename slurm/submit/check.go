// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/slurm/sbatch"
)

// Checked is what a test by sbatch --test-only says about the jobs of a round.
type Checked struct {
	// Slurm is [slurm], with what the job that merges needs to be taken.
	Slurm configs.Slurm `json:"-"`
	// Task and Finish are Slurm's words about a task and about the job that merges.
	Task   string   `json:"task"`
	Finish string   `json:"finish,omitempty"`
	Notes  []string `json:"notes,omitempty"`
}

// A Caches says how large the last-level cache is that tasks of a kind find, in bytes; 0 if that is not known.
type Caches func(kind int) int64

func unknown(int) int64 { return 0 }

// Check asks Slurm whether a task and the job that merges could ever start. It makes no job and no
// folder. Where the partition does not take the job that merges as it is, Check gives it the GPUs
// that tasks have, unless [slurm.finish] says what it has. Where [slurm] says nothing about memory, and
// the cluster would give too little, tasks ask for what the plan says that they need.
func Check(
	ctx context.Context, c *sbatch.Client, r *slurm.Run, s configs.Slurm, plan slurm.Plan, cache Caches,
) (Checked, error) {
	config, err := Ready(ctx, c, s, 1)
	if err != nil {
		return Checked{}, err
	}
	if s, err = withFinish(ctx, c, s, plan.Trials()); err != nil {
		return Checked{}, err
	}
	t := tester{ctx: ctx, client: c, run: r, config: config, checked: Checked{Slurm: s}}
	if err := t.memory(plan.Memory(), cache); err != nil {
		return t.checked, err
	}
	for kind := range s.Kinds() {
		one := t.checked.Slurm.Of(kind)
		if t.checked.Task, err = t.judge(t.task(one)); err != nil {
			return t.checked, t.blame(one, err)
		}
	}
	if !s.Finish.Off {
		err = t.merging()
	}
	return t.checked, err
}

// merging tests the job that merges, as it is or with the GPUs of tasks.
func (t *tester) merging() error {
	s := t.checked.Slurm
	said, err := t.finish(s)
	refusal, tasks := sbatch.Refusal(err), s.Of(0)
	if asked, _ := slurm.AskedGPUs(tasks); refusal != "" && asked && s.Finish.Gres == "" {
		if s.Finish.Gres = tasks.Gres; tasks.GPUs != "" {
			s.Finish.Gres = "gpu:" + tasks.GPUs
		}
		if again, err := t.finish(s); err == nil && s.Finish.Gres != "" {
			t.checked.Slurm, t.checked.Finish = s, again
			t.note("the job that merges asks for %s, because its partition takes no job without (Slurm said: %s); "+
				"[slurm.finish] can name another partition", s.Finish.Gres, refusal)
			return nil
		}
	}
	if t.checked.Finish, err = t.judge(said, err); err != nil {
		err = fmt.Errorf("the job that merges could never start: %w: change [slurm.finish], or leave it out with "+
			"finish = false in [slurm]", err)
	}
	return err
}

// Limits are what a cluster allows.
type Limits struct {
	Array int           // Array is the largest number of tasks in an array: Slurm's default if it was not asked.
	Time  time.Duration // Time is how long tasks may take; 0 if there is no limit.
	Asked bool          // Asked says that Slurm has answered.
	Notes []string
}

// AskLimits asks Slurm what it allows the tasks of a sweep. Without a client, only the sweep says so.
func AskLimits(ctx context.Context, c *sbatch.Client, s configs.Slurm) (l Limits, err error) {
	l.Array = 1001 // MaxArraySize
	l.Time, _ = sbatch.ParseTime(s.Time)
	if c == nil {
		return l, nil
	}
	config, err := c.Config(ctx)
	if err != nil {
		return l, err
	}
	l.Array, l.Asked = config.MaxArraySize, true
	if config.Unconfined && !s.Exclusive {
		l.Notes = append(l.Notes, "this cluster does not confine jobs to their processors (TaskPlugin): "+
			"other jobs on a node disturb measurements; exclusive = true in [slurm] keeps them away")
	}
	if s.Time != "" {
		return l, nil
	}
	for kind := range s.Kinds() {
		limit, err := c.Limit(ctx, s.Of(kind).Partition)
		if err != nil {
			return l, err
		}
		if l.Time == 0 || limit.Default > 0 && limit.Default < l.Time {
			l.Time = limit.Default
		}
	}
	return l, nil
}

// A tester tries options of sbatch.
type tester struct {
	ctx     context.Context
	client  *sbatch.Client
	run     *slurm.Run
	config  sbatch.Config
	checked Checked
}

func (t *tester) note(format string, args ...any) {
	t.checked.Notes = append(t.checked.Notes, fmt.Sprintf(format, args...))
}

// task tests a task.
func (t *tester) task(s configs.Slurm) (said string, err error) {
	return t.client.TestOnly(t.ctx, optionsOf(t.run, arrayOf(t.run, 1, 0), s), t.run.TaskScriptText(s))
}

// finish tests the job that merges.
func (t *tester) finish(s configs.Slurm) (said string, err error) {
	return t.client.TestOnly(t.ctx, optionsOf(t.run, finishOf(t.run, 1), s), t.run.FinishScriptText(s))
}

// notAvailable are Slurm's words for what no node has, and for what only nodes have that are down.
const notAvailable = "Requested node configuration is not available"

// judge says whether a refusal is final. A limit of jobs passes by itself, and nodes that are down
// may come back: then Slurm takes the job, or sbatch itself says that no node could ever have it.
func (t *tester) judge(said string, err error) (string, error) {
	refusal := sbatch.Refusal(err)
	switch {
	case refusal == "":
		return said, err
	case sbatch.SubmitLimit(err) != "":
		return refusal, nil
	case strings.Contains(refusal, notAvailable):
		down, _, asked := t.client.Nodes(t.ctx)
		if asked != nil {
			return "", asked
		}
		if len(down) > 0 {
			t.note("Slurm says that such a job could not start now (%s); it is sent all the same, because nodes are down: %s",
				refusal, strings.Join(down, ", "))
			return refusal, nil
		}
	}
	return "", err
}

// blame names the key of [slurm] without which a task could start.
func (t *tester) blame(s configs.Slurm, err error) error {
	refused, ok := errors.AsType[*sbatch.RefusedError](err)
	if !ok {
		return err
	}
	for _, ask := range asks(s) {
		without := s
		ask.drop(&without)
		if _, err := t.task(without); err == nil {
			return fmt.Errorf("a task with %s could never start: %w", ask.words, refused)
		}
	}
	return fmt.Errorf("a task as [slurm] asks for it could never start: %w", refused)
}

// An ask is something that [slurm] asks for.
type ask struct {
	words string
	drop  func(*configs.Slurm)
}

// asks returns what [slurm] asks for, as the sweep or the environment says it.
func asks(s configs.Slurm) []ask {
	var list []ask
	for _, name := range []string{
		"gres", "gpus", "mem", "partition", "account", "qos", "constraint", "nodelist", "exclude", "time",
	} {
		value := *slurm.Option(&s, name)
		if value == "" {
			continue
		}
		words := fmt.Sprintf("%s = %q", name, value)
		if variable := slurm.VariableOf(s, name); variable != "" {
			words = fmt.Sprintf("%s=%s in the environment", variable, value)
		}
		list = append(list, ask{words, func(s *configs.Slurm) { *slurm.Option(s, name) = "" }})
	}
	if s.CPUs > 0 {
		list = append(list, ask{fmt.Sprintf("cpus = %d", s.CPUs), func(s *configs.Slurm) { s.CPUs = 0 }})
	}
	for i, option := range s.Extra {
		list = append(list, ask{fmt.Sprintf("%q in extra", option), func(s *configs.Slurm) {
			s.Extra = slices.Delete(slices.Clone(s.Extra), i, i+1)
		}})
	}
	return list
}

// memory asks for the MB that tasks need, where a job that asks for nothing would get less: in the
// partition of each kind. What a large cache takes is left out where no node has as much.
func (t *tester) memory(need int, cache Caches) error {
	if slurm.SaysMemory(t.checked.Slurm) {
		return nil
	}
	for kind := range t.checked.Slurm.Kinds() {
		needs := []int{need}
		if more := slurm.CacheMemory(cache(kind)); need > 0 && more > 0 {
			needs = []int{need + more, need}
		}
		if err := t.kindMemory(kind, needs); err != nil {
			return err
		}
	}
	return nil
}

// kindMemory asks for the MB that tasks of a kind need, the first of several numbers that some node has. A guess
// that no node can give is only a note.
func (t *tester) kindMemory(kind int, needs []int) error {
	s := t.checked.Slurm.Of(kind)
	limit, err := t.client.Limit(t.ctx, s.Partition)
	if err != nil {
		return err
	}
	has, key := limit.Memory(t.config, max(s.CPUs, 1))
	if has == 0 || has >= needs[0] {
		return nil
	}

	tasks, a := "the largest task", "a task"
	if kinds := t.checked.Slurm.Kinds(); kinds > 1 {
		tasks, a = fmt.Sprintf("the largest task of array %d", kind+1), "it"
	}
	why := fmt.Sprintf("%s may need %dM, and %s would get %dM on this cluster (%s)", tasks, needs[0], a, has, key)
	for _, need := range needs {
		s.Mem = fmt.Sprintf("%dM", need)
		if _, err := t.task(s); need <= has || strings.Contains(sbatch.Refusal(err), notAvailable) {
			continue
		}
		it := "it"
		if need < needs[0] {
			it = "no node has as much, and " + s.Mem
		}
		t.checked.Slurm = t.checked.Slurm.With(kind, "mem", s.Mem)
		t.note("%s: %s is asked for; mem in [slurm] says otherwise", why, it)
		return nil
	}
	t.note("%s: no node can give as much", why)
	return nil
}
