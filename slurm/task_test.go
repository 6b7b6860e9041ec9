package slurm_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"

	"spmvtune/configs"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
	"spmvtune/slurm"
	"spmvtune/tuner/trial"
)

func TestTask(t *testing.T) {
	run := slurmtest.NewRun(t, 5)
	data, err := json.Marshal([]string{"0002", "0004", "0009"})
	slurmlab.Must(t, err)
	slurmlab.Must(t, os.WriteFile(run.Path("rounds", "003.json"), data, 0o666))
	plain := map[string]string{"SLURM_ARRAY_JOB_ID": "12", "SLURM_ARRAY_TASK_ID": "1", "SLURMD_NODENAME": "n1"}
	for name, c := range map[string]struct {
		round, base int
		set         map[string]string
		want        slurm.Task
		wrong       string
	}{
		"first attempt": {round: 3, want: slurm.Task{Job: "12_1", Node: "n1", Chunk: slurm.Chunk{ID: "0004"}}},
		"third attempt": {round: 3, set: map[string]string{"SLURM_RESTART_COUNT": "2"}, want: slurm.Task{Job: "12_1", Node: "n1", Attempt: 2, Chunk: slurm.Chunk{ID: "0004"}}},
		"second array":  {round: 3, base: 1, set: map[string]string{"SLURM_ARRAY_TASK_ID": "0"}, want: slurm.Task{Job: "12_0", Node: "n1", Chunk: slurm.Chunk{ID: "0004"}}},
		"by hand":       {round: 3, set: map[string]string{"SLURM_ARRAY_JOB_ID": ""}, wrong: "`spmvtune submit` starts tasks"},
		"no array":      {round: 3, set: map[string]string{"SLURM_ARRAY_TASK_ID": ""}, wrong: "not inside a Slurm array task: SLURM_ARRAY_TASK_ID is not set"},
		"beyond":        {round: 3, base: 2, wrong: "round 3 has 3 chunks, and task 12_1 asks for number 3"},
		"before":        {round: 3, base: -1, wrong: "asks for number 0"},
		"no round":      {round: 4, wrong: "the record of submitted chunks can't be read"},
		"no chunk":      {round: 3, base: 1, wrong: "the chunk 0009, which is not in"},
		"restarts":      {round: 3, set: map[string]string{"SLURM_RESTART_COUNT": "-1"}, wrong: "not a number of restarts"},
	} {
		got, err := run.Task(c.round, c.base, func(key string) string {
			if v, ok := c.set[key]; ok {
				return v
			}
			return plain[key]
		})
		if c.wrong != "" {
			testkit.Fails(t, err, c.wrong, "%s", name)
			continue
		}
		if err != nil || got.Job != c.want.Job || got.Node != c.want.Node || got.Attempt != c.want.Attempt ||
			got.Chunk.ID != c.want.Chunk.ID || len(got.Chunk.Pieces) != 1 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestPinDevices(t *testing.T) {
	run := slurmtest.NewRun(t, 1)
	cpu, otherCPU := kernels.Device{Backend: "cpu", Name: "Chip 1"}, kernels.Device{Backend: "cpu", Name: "Chip 2"}
	a30, h100 := kernels.Device{Backend: "cuda", Name: "NVIDIA A30"}, kernels.Device{Backend: "cuda", Name: "NVIDIA H100 PCIe"}
	first := slurm.Task{Job: "1_0", Node: "n1"}
	asked := configs.Slurm{Gres: "gpu:h100:1"}
	if _, err := run.PinDevices(first, asked, []kernels.Device{cpu, a30}); err == nil || !strings.Contains(err.Error(), "a GPU of type h100") {
		t.Errorf("a GPU of another type: %v", err)
	}
	for _, c := range []struct {
		name  string
		found []kernels.Device
		s     configs.Slurm
		want  string // backends, or what the error says
	}{
		{"first", []kernels.Device{cpu, a30}, configs.Slurm{}, "cpu cuda"},
		{"same", []kernels.Device{cpu, a30}, configs.Slurm{Gres: "gpu:a30"}, "cpu cuda"},
		{"other GPU", []kernels.Device{cpu, h100}, configs.Slurm{}, "n2 has NVIDIA H100 PCIe, but the run measures on NVIDIA A30, which its first task, 1_0, found on n1"},
		{"other processor", []kernels.Device{otherCPU, a30}, configs.Slurm{}, "n2 has Chip 2"},
		{"no GPU", []kernels.Device{cpu}, configs.Slurm{}, "no GPU answers on n2"},
		{"no GPU, mixed", []kernels.Device{cpu}, configs.Slurm{MixDevices: true}, "no GPU answers on n2"},
		{"mixed", []kernels.Device{otherCPU, h100}, configs.Slurm{MixDevices: true, Gres: "gpu:a30"}, "cpu cuda"},
	} {
		task := slurm.Task{Job: "1_1", Node: "n2"}
		if c.name == "first" {
			task = first
		}
		backends, err := run.PinDevices(task, c.s, c.found)
		got := strings.Join(backends, " ")
		if err != nil {
			got = err.Error()
		}
		if !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: %s", c.name, got)
		}
	}
	// A GPU that only later tasks have would be measured on a part of the sweep.
	run = slurmtest.NewRun(t, 1)
	_, err := run.PinDevices(first, configs.Slurm{}, []kernels.Device{cpu})
	slurmlab.Must(t, err)
	if backends, err := run.PinDevices(slurm.Task{}, configs.Slurm{}, []kernels.Device{cpu, a30}); err != nil || !slices.Equal(backends, []string{"cpu"}) {
		t.Errorf("backends %v, %v", backends, err)
	}
}

// A run measures on what its first task found, or the run that it has adopted: the same processor with another number
// of cores gives other times, and other grids.
func TestPinCores(t *testing.T) {
	chip := func(name string, cores int) []kernels.Device {
		return []kernels.Device{{Backend: "cpu", Name: name, Units: cores}}
	}
	first, adopted := slurm.Task{Job: "1_0", Node: "n1"}, slurm.Task{Job: slurm.AdoptedJob, Node: "login"}
	for _, c := range []struct {
		by    slurm.Task
		found []kernels.Device
		mix   bool
		wrong string
	}{
		{first, chip("Chip 1", 4), false, ""}, {first, chip("Chip 1", 8), true, ""},
		{first, chip("Chip 1", 8), false, "n1 has 8 cores, but the run measures on 4, which its first task, 1_0, found on n1"},
		{adopted, chip("Chip 2", 4), false, "n1 has Chip 2, but the run has adopted what was measured on Chip 1: ask for that"},
		{adopted, chip("Chip 1", 1), false, "n1 has 1 core, but the run has adopted what was measured on 4: ask for that"},
	} {
		run := slurmtest.NewRun(t, 1)
		_, err := run.PinDevices(c.by, configs.Slurm{}, chip("Chip 1", 4))
		slurmlab.Must(t, err)
		_, err = run.PinDevices(first, configs.Slurm{MixDevices: c.mix}, c.found)
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.HasPrefix(err.Error(), c.wrong)) {
			t.Errorf("%+v: %v", c.found, err)
		}
	}
}

// Of tasks that start at once, one fixes the device.
func TestPinDevicesAtOnce(t *testing.T) {
	run := slurmtest.NewRun(t, 1)
	var group sync.WaitGroup
	var mu sync.Mutex
	settled := map[string]int{}
	for i := range 20 {
		group.Go(func() {
			name := []string{"NVIDIA A30", "NVIDIA H100 PCIe"}[i%2]
			if _, err := run.PinDevices(slurm.Task{}, configs.Slurm{}, []kernels.Device{{Backend: "cuda", Name: name}}); err == nil {
				mu.Lock()
				settled[name]++
				mu.Unlock()
			} else if !strings.Contains(err.Error(), "mix_devices") {
				t.Error(err)
			}
		})
	}
	group.Wait()
	if len(settled) != 1 || settled["NVIDIA A30"]+settled["NVIDIA H100 PCIe"] != 10 {
		t.Errorf("models %v", settled)
	}
}

func TestAskedGPUs(t *testing.T) {
	for _, c := range []struct {
		s     configs.Slurm
		asked bool
		types string
	}{
		{configs.Slurm{}, false, ""},
		{configs.Slurm{Gres: "tmpfs:10G"}, false, ""},
		{configs.Slurm{Gres: "gpu"}, true, ""},
		{configs.Slurm{Gres: "gpu:2"}, true, ""},
		{configs.Slurm{Gres: "tmpfs:10G,gpu:a30:2"}, true, "a30"},
		{configs.Slurm{Gres: "gres:gpu:h100"}, true, "h100"},
		{configs.Slurm{GPUs: "2"}, true, ""},
		{configs.Slurm{GPUs: "a30:2"}, true, "a30"},
		{configs.Slurm{Extra: []string{"--gpus-per-node=v100:1", "--nice=5"}}, true, "v100"},
		{configs.Slurm{Extra: []string{"--tres-per-task=cpu:2,gres/gpu:a100:1"}}, true, "a100"},
	} {
		if asked, types := slurm.AskedGPUs(c.s); asked != c.asked || strings.Join(types, " ") != c.types {
			t.Errorf("%+v: %v %v", c.s, asked, types)
		}
	}
}

// What a run measures as a matrix is what its first task found.
func TestPinMatrix(t *testing.T) {
	run := slurmtest.NewRun(t, 1)
	for _, c := range []struct {
		matrix, hash, node string
		wrong              string
	}{
		{"a", "one", "n1", ""},
		{"a", "one", "n2", ""},
		{"a", "two", "n2", "a.mtx has changed during the run: its content is two on n2, and was one when task 7_n1 loaded it on n1"},
		{"b", "two", "n2", ""},
		{"b (twin)", "three", "n2", ""},
		{"a", "one", "n3", ""},
	} {
		err := run.PinMatrix(slurm.Task{Job: "7_" + c.node, Node: c.node}, trial.Matrix{Name: c.matrix, Source: c.matrix + ".mtx", Hash: c.hash})
		if c.wrong == "" && err != nil || c.wrong != "" && (err == nil || !strings.HasPrefix(err.Error(), c.wrong)) {
			t.Errorf("%s as %s on %s: %v", c.matrix, c.hash, c.node, err)
		}
	}
}
