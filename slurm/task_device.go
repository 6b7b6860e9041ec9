package slurm

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"spmvtune/configs"
	"spmvtune/kernels"
)

// Devices are what a run measures on, fixed by its first task: other models would
// not be compared with them.
type Devices struct {
	Models map[string]string `json:"models"` // name of the device, by its backend
	Job    string            `json:"job"`    // the task that found them
	Node   string            `json:"node"`   // and where
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
		if d.Backend == "cuda" && !s.MixDevices {
			if err := checkType(t.Node, s, d.Name); err != nil {
				return nil, err
			}
		}
	}
	first, err := r.fixDevices(mine)
	if err != nil {
		return nil, err
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

// fixDevices returns the devices of the run: mine, if no task has fixed them yet.
// Of several tasks at once one does, and the file appears whole: a link can't
// replace a file, on any file system that nodes share.
func (r *Run) fixDevices(mine Devices) (Devices, error) {
	path := r.Path(deviceFile)
	for {
		var d Devices
		data, err := os.ReadFile(path)
		if err == nil {
			if err := json.Unmarshal(data, &d); err != nil {
				return d, fmt.Errorf("reading %s: %w: it was damaged; delete it, and the next task writes it", path, err)
			}
			return d, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return d, fmt.Errorf("reading the run's devices: %w", err)
		}
		if err := r.writeDevices(mine); err != nil && !errors.Is(err, fs.ErrExist) {
			return d, fmt.Errorf("fixing the run's devices: %w", err)
		}
	}
}

func (r *Run) writeDevices(d Devices) error {
	data, err := json.MarshalIndent(d, "", "\t")
	if err != nil {
		return err
	}
	path := r.Path(deviceFile)
	f, err := os.CreateTemp(filepath.Dir(path), ".device-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(append(data, '\n'))
	if err := errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Link(f.Name(), path)
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
