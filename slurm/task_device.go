package slurm

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"spmvtune/configs"
	"spmvtune/kernels"
)

// Devices are what a run measures on, fixed by its first task: other models would
// not be compared with them.
type Devices struct {
	Models map[string]string `json:"models"`          // name of the device, by its backend
	Cores  int               `json:"cores,omitempty"` // of the processor that tasks are given; 0 in runs of versions before it was
	Job    string            `json:"job"`             // the task that found them
	Node   string            `json:"node"`            // and where
}

// SettleDevices makes sure that a task may measure on the devices that it found,
// at most one of a backend. The first task of a run fixes them, later ones must
// have the same models, unless [slurm] mix_devices allows for any. A GPU must be of
// the type that [slurm] asks for.
//
// It returns the backends to measure on, sorted: a GPU that the run's first task
// did not have is left out.
func (r *Run) SettleDevices(t Task, s configs.Slurm, found []kernels.Device) (backends []string, err error) {
	mine := Devices{Models: map[string]string{}, Job: t.Job, Node: t.Node}
	for _, d := range found {
		mine.Models[d.Backend] = d.Name
		if d.Backend == "cpu" {
			mine.Cores = d.Units
		}
		if d.Backend == "cuda" && !s.MixDevices {
			if err := checkType(t.Node, s, d.Name); err != nil {
				return nil, err
			}
		}
	}
	first, err := fix(r.Path(deviceFile), mine)
	if err != nil {
		return nil, fmt.Errorf("fixing the run's devices: %w", err)
	}
	for _, backend := range slices.Sorted(maps.Keys(first.Models)) {
		want, here := first.Models[backend], mine.Models[backend]
		switch {
		case here == "":
			return nil, fmt.Errorf("no %s answers on %s, but the run's first task, %s on %s, had %s: "+
				"leave %s out by extra = [\"--exclude=%s\"] in [slurm], and submit the sweep again",
				deviceWord(backend), t.Node, first.Job, first.Node, want, t.Node, t.Node)
		case here != want && !s.MixDevices:
			return nil, fmt.Errorf("%s has %s, but the run measures on %s, which its first task, %s, found on %s: "+
				"ask for one kind of node by gres, constraint or nodelist in [slurm], or set mix_devices = true there, and submit the sweep again",
				t.Node, here, want, first.Job, first.Node)
		}
	}
	if first.Cores > 0 && mine.Cores > 0 && mine.Cores != first.Cores && !s.MixDevices {
		return nil, fmt.Errorf("this task has %d cores on %s, but the run measures on %d, which its first task, %s, had on %s: "+
			"give all tasks as many by cpus in [slurm], or set mix_devices = true there, and submit the sweep again",
			mine.Cores, t.Node, first.Cores, first.Job, first.Node)
	}
	if s.MixDevices {
		return slices.Sorted(maps.Keys(mine.Models)), nil
	}
	return slices.Sorted(maps.Keys(first.Models)), nil
}

func deviceWord(backend string) string {
	if backend == "cuda" {
		return "GPU"
	}
	return "processor"
}

// checkType refuses a GPU that is not of the type that was asked for.
func checkType(node string, s configs.Slurm, name string) error {
	_, types := AskedGPUs(s)
	for _, kind := range types {
		if !hasType(name, kind) {
			return fmt.Errorf("%s has %s, but [slurm] asks for a GPU of type %s: write there what the cluster has "+
				"(sinfo -o \"%%N %%G\" lists it), or set mix_devices = true, and submit the sweep again", node, name, strings.ToLower(kind))
		}
	}
	return nil
}

// GivenCPUs is how many processors of its node Slurm gave to the job that this process
// is of, whether or not it is confined to them; 0 outside of jobs.
func GivenCPUs(getenv func(string) string) int {
	if getenv("SLURM_JOB_ID") == "" {
		return 0
	}
	n, err := strconv.Atoi(getenv("SLURM_CPUS_ON_NODE"))
	if err != nil {
		return 0
	}
	return max(n, 0)
}
