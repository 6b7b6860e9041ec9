package slurm

import (
	"slices"
	"strings"

	"spmvtune/configs"
)

// A variable is one by which users tell sbatch what their jobs ask for.
type variable struct {
	name   string
	option string // option is what it stands for.
	// field is the key of [slurm] for that; nil if there is none.
	field func(*configs.Slurm) *string
	// rivals begin the options that say the same in another way.
	rivals []string
}

var (
	memory = []string{"--mem"}
	gpus   = []string{"--gpu", "--gres", "--tres", "-G"}

	// variables are those of sbatch that don't contradict what a task needs.
	variables = []variable{
		{"SBATCH_ACCOUNT", "account", func(s *configs.Slurm) *string { return &s.Account }, nil},
		{"SBATCH_PARTITION", "partition", func(s *configs.Slurm) *string { return &s.Partition }, nil},
		{"SBATCH_QOS", "qos", func(s *configs.Slurm) *string { return &s.QOS }, nil},
		{"SBATCH_TIMELIMIT", "time", func(s *configs.Slurm) *string { return &s.Time }, nil},
		{"SBATCH_CONSTRAINT", "constraint", func(s *configs.Slurm) *string { return &s.Constraint }, nil},
		{"SBATCH_EXPORT", "export", func(s *configs.Slurm) *string { return &s.Export }, nil},
		{"SBATCH_MEM_PER_NODE", "mem", func(s *configs.Slurm) *string { return &s.Mem }, memory},
		{"SBATCH_MEM_PER_CPU", "mem-per-cpu", nil, memory},
		{"SBATCH_MEM_PER_GPU", "mem-per-gpu", nil, memory},
		{"SBATCH_GRES", "gres", func(s *configs.Slurm) *string { return &s.Gres }, gpus},
		{"SBATCH_GPUS", "gpus", func(s *configs.Slurm) *string { return &s.GPUs }, gpus},
		{"SBATCH_GPUS_PER_NODE", "gpus-per-node", nil, gpus},
		{"SBATCH_GPUS_PER_TASK", "gpus-per-task", nil, gpus},
		{"SBATCH_CPUS_PER_GPU", "cpus-per-gpu", nil, nil},
		{"SBATCH_EXCLUSIVE", "exclusive", nil, nil},
		{"SBATCH_RESERVATION", "reservation", nil, nil},
		{"SBATCH_WCKEY", "wckey", nil, nil},
		{"SBATCH_HINT", "hint", nil, nil},
		{"SBATCH_THREADS_PER_CORE", "threads-per-core", nil, nil},
		{"SBATCH_CORE_SPEC", "core-spec", nil, nil},
		{"SBATCH_NETWORK", "network", nil, nil},
	}
)

// WithEnvironment returns s with what variables of sbatch say where s says nothing, as for a
// plain sbatch. Those that count are in its Environment.
func WithEnvironment(s configs.Slurm, getenv func(string) string) configs.Slurm {
	s.Environment = nil
	for _, v := range variables {
		value := getenv(v.name)
		if value == "" || slices.ContainsFunc(namesOf(s), v.saidBy) {
			continue
		}

		if v.field != nil {
			*v.field(&s) = value
		} else {
			s.Extra = append(slices.Clip(s.Extra), "--"+v.option+"="+value)
		}
		if s.Environment == nil {
			s.Environment = map[string]string{}
		}
		s.Environment[v.name] = value
	}

	return s
}

// saidBy reports whether an option says what v stands for.
func (v variable) saidBy(option string) bool {
	return option == "--"+v.option ||
		slices.ContainsFunc(v.rivals, func(r string) bool { return strings.HasPrefix(option, r) })
}

// namesOf returns the names of the options that [slurm] asks for, as far as a variable may
// contradict them.
func namesOf(s configs.Slurm) []string {
	var names []string
	for _, option := range s.Extra {
		name, _, _ := strings.Cut(option, "=")
		names = append(names, name)
	}
	for _, v := range variables {
		if v.field != nil && *v.field(&s) != "" {
			names = append(names, "--"+v.option)
		}
	}
	if s.Exclusive {
		names = append(names, "--exclusive")
	}
	return names
}

// VariableOf returns the variable of sbatch that counted for a key of [slurm], "" for none.
func VariableOf(s configs.Slurm, key string) string {
	for _, v := range variables {
		if _, counted := s.Environment[v.name]; counted && v.option == key {
			return v.name
		}
	}
	return ""
}

// SaysMemory reports whether [slurm] says how much memory tasks get.
func SaysMemory(s configs.Slurm) bool {
	return slices.ContainsFunc(namesOf(s), func(name string) bool { return strings.HasPrefix(name, memory[0]) })
}
