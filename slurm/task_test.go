// SPDX-License-Identifier: Apache-2.0

package slurm_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/testing/slurmtest"
	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/tuner/trial"
)

func TestTask(t *testing.T) {
	run := slurmtest.NewRun(t, 5)
	data := testkit.Must(json.Marshal([]string{"0002", "0004", "0009"}))
	testkit.Succeed(t, os.WriteFile(run.Path("rounds", "003.json"), data, 0o666))
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
		testkit.Check(t, err == nil && got.Job == c.want.Job && got.Node == c.want.Node && got.Attempt == c.want.Attempt &&
			got.Chunk.ID == c.want.Chunk.ID && len(got.Chunk.Pieces) == 1, "%s: %+v, %v", name, got, err)
	}
}

func TestPinDevices(t *testing.T) {
	run := slurmtest.NewRun(t, 1)
	cpu, otherCPU := kernels.Device{Backend: "cpu", Name: "Chip 1"}, kernels.Device{Backend: "cpu", Name: "Chip 2"}
	a30, h100 := kernels.Device{Backend: "cuda", Name: "NVIDIA A30"}, kernels.Device{Backend: "cuda", Name: "NVIDIA H100 PCIe"}
	first := slurm.Task{Job: "1_0", Node: "n1"}
	asked := configs.Slurm{Gres: "gpu:h100:1"}
	testkit.Fails(t, testkit.Err(run.PinDevices(first, asked, []kernels.Device{cpu, a30})), "a GPU of type h100", "a GPU of another type")
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
		testkit.Check(t, strings.HasPrefix(got, c.want), "%s: %s", c.name, got)
	}
	// A GPU that only later tasks have would be measured on a part of the sweep.
	run = slurmtest.NewRun(t, 1)
	testkit.Must(run.PinDevices(first, configs.Slurm{}, []kernels.Device{cpu}))
	backends := testkit.Must(run.PinDevices(slurm.Task{}, configs.Slurm{}, []kernels.Device{cpu, a30}))
	testkit.Check(t, slices.Equal(backends, []string{"cpu"}), "backends %v", backends)
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
		testkit.Must(run.PinDevices(c.by, configs.Slurm{}, chip("Chip 1", 4)))
		_, err := run.PinDevices(first, configs.Slurm{MixDevices: c.mix}, c.found)
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
	testkit.Check(t, len(settled) == 1 && settled["NVIDIA A30"]+settled["NVIDIA H100 PCIe"] == 10, "models %v", settled)
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
		asked, types := slurm.AskedGPUs(c.s)
		testkit.Check(t, asked == c.asked && strings.Join(types, " ") == c.types, "%+v: %v %v", c.s, asked, types)
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
	testkit.Succeed(t, os.Rename(run.Dir, run.Dir+".away"))
	err := run.PinMatrix(slurm.Task{}, trial.Matrix{Name: "c"})
	_, gone := os.Stat(run.Dir)
	testkit.Check(t, errors.Is(err, fs.ErrNotExist) && errors.Is(gone, fs.ErrNotExist), "moved away: %v, %v", err, gone)
}

// hostile are names of folders that a shell would read as something else.
var hostile = []string{
	"plain", "two words", " lead and trail ", "it's", `"quoted"`, "$(touch pwned)", "`touch pwned`", "${HOME}", "a;touch pwned",
	"a&b|c>d", "*?[a-z]", "~root", "-rf", "#comment", "100%", "%A_%a%%", "größe", "!history", "''", "a'\"'\"'b", "{1..3}",
}

// The script of a task is run as it is, by bash; the program says what it got.
func TestScriptsQuoteEveryPath(t *testing.T) {
	names := slices.Clone(hostile)
	letters := []rune("ab '\"$`(){}[]<>|&;*?~#%!=,:@^")
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		name := make([]rune, 1+rng.IntN(12))
		for i := range name {
			name[i] = letters[rng.IntN(len(letters))]
		}
		names = append(names, string(name))
	}
	for _, name := range names {
		root := filepath.Join(t.TempDir(), name)
		run := slurmtest.Created(t, root, configs.Slurm{}, 1, `printf '%s\0' "$0" "$@"`)
		for script, want := range map[string][]string{
			slurm.TaskScript:   {run.Path("bin", "spmvtune"), "task", run.Dir, "--round", "7", "--base", "30"},
			slurm.FinishScript: {run.Path("bin", "spmvtune"), "merge", run.Dir, "--round", "7"},
		} {
			cmd := exec.Command("bash", run.Path(script), "7", "30")
			cmd.Dir = t.TempDir()
			out, err := cmd.Output()
			testkit.Check(t, err == nil, "%q, %s: %v", name, script, err)
			testkit.EqualLists(t, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), want,
				"%q, %s: the program", name, script)
			left, _ := os.ReadDir(cmd.Dir)
			testkit.Check(t, len(left) == 0, "%q, %s: something in the path was run", name, script)
		}
	}
}

func TestFoldersThatSlurmCantUse(t *testing.T) {
	for _, name := range []string{"new\nline", "tab\there", `back\slash`, "esc\x1b"} {
		root := filepath.Join(t.TempDir(), name)
		testkit.Fails(t, testkit.Err(slurm.Create(root, slurmtest.SmallSweep(configs.Slurm{}), slurm.Plan{}, os.Args[0], "test")), "--runs", "%q", name)
		testkit.Fails(t, testkit.Err(os.Stat(root)), "", "%q: the folder was made", name)
	}
}

func TestSetup(t *testing.T) {
	source := filepath.Join(t.TempDir(), "module")
	testkit.Succeed(t, os.WriteFile(source, []byte(`[ $# = 0 ] || exit 9; export GREETING="hello $UNSET_VARIABLE"; round=9 base=9`+"\n"), 0o666))
	s := configs.Slurm{Setup: []string{"source " + term.Shell(source), "export SECOND=$GREETING"}}
	// A task is ended by a signal to its batch script, so that has to become the program.
	run := slurmtest.Created(t, t.TempDir(), s, 1, `echo "$SECOND $4 $6 $$"`)
	cmd := exec.Command("bash", run.Path(slurm.TaskScript), "1", "2")
	out, err := cmd.CombinedOutput()
	testkit.Check(t, err == nil && string(out) == fmt.Sprintf("hello  1 2 %d\n", cmd.Process.Pid), "the task printed %q, %v", out, err)

	run = slurmtest.Created(t, t.TempDir(), configs.Slurm{Setup: []string{"module-that-is-not-there load CUDA"}}, 1, "echo runs")
	out, err = exec.Command("bash", run.Path(slurm.TaskScript), "1", "2").CombinedOutput()
	testkit.Check(t, err != nil && !strings.Contains(string(out), "runs") &&
		strings.Contains(string(out), "module-that-is-not-there"), "a setup that fails: %q, %v", out, err)
	testkit.Equal(t, string(testkit.Must(exec.Command("bash", run.Path(slurm.FinishScript), "1").CombinedOutput())), "runs\n", "the merge depends on the setup")
}

// What wraps the program gets it with all of its arguments as they are, for tasks and the merge.
func TestWrap(t *testing.T) {
	wrapper := filepath.Join(t.TempDir(), "two words")
	testkit.Succeed(t, os.WriteFile(wrapper, []byte("#!/bin/bash\n[ \"$1\" = \"my image.sif\" ] || exit 9\necho in $1\nshift\n"+
		"exec \"$@\"\n"), 0o777))
	s := configs.Slurm{Wrap: term.Shell(wrapper) + " 'my image.sif'", Setup: []string{"export A=1"}}
	run := slurmtest.Created(t, filepath.Join(t.TempDir(), "a run; of $mine"), s, 1, `printf '%s|' "$0" "$@"`)
	for script, want := range map[string][]string{
		slurm.TaskScript:   {run.Path("bin", "spmvtune"), "task", run.Dir, "--round", "7", "--base", "30"},
		slurm.FinishScript: {run.Path("bin", "spmvtune"), "merge", run.Dir, "--round", "7"},
	} {
		out, err := exec.Command("bash", run.Path(script), "7", "30").CombinedOutput()
		if err != nil || string(out) != "in my image.sif\n"+strings.Join(want, "|")+"|" {
			t.Errorf("%s: %v, the program got %q", script, err, out)
		}
	}
}

// A warning while setup runs ends neither it nor, once it is exec's turn, the program.
func TestWarningDuringSetup(t *testing.T) {
	// Bash can't trap what was ignored when it began, as SIGHUP is under nohup.
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	defer signal.Stop(heard)
	for signal, warnings := range map[string]map[syscall.Signal]string{
		"USR1@120": {syscall.SIGUSR1: "--warned=USR1", 0: ""},
		"USR2@60":  {syscall.SIGUSR1: "--warned=USR1", syscall.SIGUSR2: "--warned=USR2"},
		"HUP@60":   {syscall.SIGHUP: "--warned=HUP"},
		"TERM@60":  {syscall.SIGUSR1: "--warned=USR1"},
		"":         {syscall.SIGUSR1: "--warned=USR1"},
	} {
		for sig, want := range warnings {
			dir := t.TempDir()
			s := configs.Slurm{Signal: signal, Setup: []string{"cd " + term.Shell(dir), "touch begun", "while ! [ -e go ]; do sleep 0.01; done", "IFS=w"}}
			// Before it watches, the program gets another.
			run := slurmtest.Created(t, t.TempDir(), s, 1, fmt.Sprintf(`kill -%d $$; shift 6; echo "$# $*"`, sig))
			cmd := exec.Command("bash", run.Path(slurm.TaskScript), "1", "0")
			var out strings.Builder
			cmd.Stdout, cmd.Stderr = &out, &out
			testkit.Succeed(t, cmd.Start())
			for _, err := os.Stat(filepath.Join(dir, "begun")); err != nil; _, err = os.Stat(filepath.Join(dir, "begun")) {
				time.Sleep(time.Millisecond)
			}
			testkit.Succeed(t, cmd.Process.Signal(sig))
			testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o666))
			wanted := "1 " + want + "\n"
			if sig == 0 {
				wanted = "0 \n"
			}
			if err := cmd.Wait(); err != nil || out.String() != wanted {
				t.Errorf("%q and signal %d: %v, the program got %q", signal, sig, err, out.String())
			}
		}
	}
}
