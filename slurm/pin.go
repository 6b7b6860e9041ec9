// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/tuner/trial"
)

// pin returns what the file at path says. The first task that needs the file writes it, with
// mine, also after a damaged one was deleted. If several tasks try at once, one succeeds, on any file system that nodes
// share.
func pin[T any](path string, mine T) (first T, err error) {
	for {
		first, err = readJSON[T](path)
		switch {
		case err == nil:
			return first, nil
		case errors.Is(err, errDamaged):
			return first, fmt.Errorf("%w; delete it, and the next task writes it", err)
		case !errors.Is(err, fs.ErrNotExist):
			return first, err
		}

		if err := writeJSON(files.Create, path, mine); err != nil && !errors.Is(err, fs.ErrExist) {
			return first, err
		}
	}
}

// Devices are what a run measures on. The first task pins them, because times of different
// models are not compared.
type Devices struct {
	// Models are the names of the devices by backend.
	Models map[string]string `json:"models"`
	// Cores is the number of cores that tasks are given; 0 if they don't measure on a processor.
	Cores int `json:"cores,omitempty"`
	// Cache is the size of the processor's last-level cache in bytes; 0 if it is not known, or not measured on.
	Cache int64  `json:"cache,omitempty"`
	Job   string `json:"job"`  // Job is the task that found the devices.
	Node  string `json:"node"` // Node is where it found them.
}

// PinDevices makes sure that a task may measure on the devices that it found, at most one for
// each backend. The first task of a run, of each kind, pins them. Later tasks must have the same models
// unless [slurm] mix_devices allows others. A GPU must be of the type that [slurm] asks for.
//
// It returns the backends to measure on, sorted. A GPU that the first task did not have is
// left out.
func (r *Run) PinDevices(t Task, s configs.Slurm, found []kernels.Device) (backends []string, err error) {
	mine := Devices{Models: map[string]string{}, Job: t.Job, Node: t.Node}
	for _, d := range found {
		mine.Models[d.Backend] = d.Name
		if d.Backend == "cpu" {
			mine.Cores, mine.Cache = d.Units, d.Cache
		}
		if d.Backend == "cuda" && !s.MixDevices {
			if err := CheckType(t.Node, s, d.Name); err != nil {
				return nil, err
			}
		}
	}

	first, err := pin(r.Path(numbered("device", 1, t.Chunk.Kind)), mine)
	if err != nil {
		return nil, fmt.Errorf("pinning the run's devices: %w", err)
	}
	if err := first.check(mine, s.MixDevices); err != nil {
		return nil, err
	}
	if s.MixDevices {
		return slices.Sorted(maps.Keys(mine.Models)), nil
	}
	return slices.Sorted(maps.Keys(first.Models)), nil
}

// PinnedDevices are what tasks of a kind measure on; none if no task has found any yet.
func (r *Run) PinnedDevices(kind int) (d Devices, err error) {
	d, err = readJSON[Devices](r.Path(numbered("device", 1, kind)))
	if errors.Is(err, fs.ErrNotExist) {
		return d, nil
	}
	return d, err
}

// check compares the devices of a later task with d, those of the first. If mix is set, only
// missing devices are an error.
func (d Devices) check(mine Devices, mix bool) error {
	differ := func(here, want string) error {
		if d.Job == AdoptedJob {
			return fmt.Errorf("%s has %s, but the run has adopted what was measured on %s: ask for that by gres, "+
				"constraint, nodelist or cpus in [slurm], and submit the sweep again, or submit it without --adopt",
				mine.Node, here, want)
		}
		return fmt.Errorf("%s has %s, but the run measures on %s, which its first task, %s, found on %s: ask for one kind "+
			"of node with gres, constraint, nodelist or cpus in [slurm], or set mix_devices = true, and submit the sweep "+
			"again", mine.Node, here, want, d.Job, d.Node)
	}
	for _, backend := range slices.Sorted(maps.Keys(d.Models)) {
		want, here := d.Models[backend], mine.Models[backend]
		word := map[string]string{"cuda": "GPU", "cpu": "processor"}[backend]
		switch {
		case here == "":
			return fmt.Errorf("no %s answers on %s, but the run's first task, %s on %s, had %s: "+
				"exclude %s with extra = [\"--exclude=%s\"] in [slurm], and submit the sweep again",
				word, mine.Node, d.Job, d.Node, want, mine.Node, mine.Node)
		case here != want && !mix:
			return differ(here, want)
		}
	}
	if d.Cores > 0 && mine.Cores > 0 && mine.Cores != d.Cores && !mix {
		return differ(term.Count(mine.Cores, "core", "cores"), strconv.Itoa(d.Cores))
	}
	return nil
}

// CheckType refuses a GPU of a node that is of another type than the one that was asked for.
func CheckType(node string, s configs.Slurm, name string) error {
	_, types := AskedGPUs(s)
	for _, kind := range types {
		if !hasType(name, kind) {
			return fmt.Errorf("%s has %s, but [slurm] asks for a GPU of type %s: write there what the cluster has "+
				"(sinfo -o \"%%N %%G\" lists it), or set mix_devices = true, and submit the sweep again",
				node, name, strings.ToLower(kind))
		}
	}
	return nil
}

// A Content identifies the content of a matrix in a run. A file that is replaced during the
// run would give a mixture of both.
type Content struct {
	Matrix string `json:"matrix"` // Matrix is the name in the sweep.
	// Hash is over sizes, row pointers, columns and values.
	Hash string `json:"hash"`
	Job  string `json:"job"`  // Job is the task that loaded the matrix.
	Node string `json:"node"` // Node is where it loaded it.
}

// PinMatrix makes sure that a task may measure a matrix as it loaded it. The first task of a
// run that loads a matrix pins its content, and the others must find the same.
func (r *Run) PinMatrix(t Task, m trial.Matrix) error {
	if err := r.makeFolder(matricesDir); err != nil {
		return err
	}
	// Names of matrices have no slash.
	mine := Content{Matrix: m.Name, Hash: m.Hash, Job: t.Job, Node: t.Node}
	first, err := pin(r.Path(matricesDir, m.Name+".json"), mine)
	if err != nil {
		return fmt.Errorf("pinning the content of %s: %w", m.Name, err)
	}
	if first.Hash == m.Hash {
		return nil
	}
	return fmt.Errorf("%s has changed during the run: its content is %.12s on %s, "+
		"and was %.12s when task %s loaded it on %s: restore the file and retry the run, or submit the sweep again",
		m.Source, m.Hash, t.Node, first.Hash, first.Job, first.Node)
}

// AskedGPUs reports whether [slurm] asks for a GPU, and which types it names.
func AskedGPUs(s configs.Slurm) (asked bool, types []string) {
	gres := strings.Split(s.Gres, ",")
	counts := []string{s.GPUs} // [TYPE:]NUMBER
	for _, option := range s.Extra {
		name, value, _ := strings.Cut(option, "=")
		switch items := strings.Split(value, ","); {
		case strings.HasPrefix(name, "--gpus-per"):
			counts = append(counts, items...)
		case strings.HasPrefix(name, "--tres-per"):
			gres = append(gres, items...)
		}
	}

	for _, count := range counts {
		if count != "" {
			gres = append(gres, "gpu:"+count)
		}
	}

	for _, item := range gres { // gpu[:TYPE][:NUMBER], perhaps after gres: or gres/
		fields := strings.Split(strings.TrimPrefix(strings.TrimPrefix(item, "gres:"), "gres/"), ":")
		if fields[0] != "gpu" {
			continue
		}
		asked = true
		if len(fields) > 1 {
			if _, err := strconv.Atoi(fields[1]); err != nil {
				types = append(types, fields[1])
			}
		}
	}

	slices.Sort(types)
	return asked, slices.Compact(types)
}

// modelForm matches types that are models: a30, v100s, rtx3090, gtx1080ti. Other types, such
// as a site's own or the MIG profile 1g.10gb, say nothing about the name of the device.
var modelForm = regexp.MustCompile(`^[a-z]+[0-9]+[a-z]*$`)

// hasType reports whether a GPU with this name can be of one of Slurm's types. The name may
// have blanks or dashes inside the type: "NVIDIA GeForce RTX 3090" is an rtx3090, but "NVIDIA
// A100" is not an a10.
func hasType(name, kind string) bool {
	kind = strings.ToLower(kind)
	if !modelForm.MatchString(kind) {
		return true
	}
	pattern := strings.Join(strings.Split(kind, ""), "[^a-z0-9]*")
	return regexp.MustCompile(pattern + "([^0-9]|$)").MatchString(strings.ToLower(name))
}
