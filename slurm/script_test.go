package slurm_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/internal/base/term"
	"spmvtune/internal/testing/slurmlab"
	"spmvtune/internal/testing/slurmtest"
	"spmvtune/internal/testing/testkit"
	"spmvtune/slurm"
)

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
			if err != nil {
				t.Errorf("%q, %s: %v", name, script, err)
			}
			testkit.EqualLists(t, strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"), want,
				"%q, %s: the program", name, script)
			if left, _ := os.ReadDir(cmd.Dir); len(left) > 0 {
				t.Errorf("%q, %s: something in the path was run", name, script)
			}
		}
	}
}

func TestFoldersThatSlurmCantUse(t *testing.T) {
	for _, name := range []string{"new\nline", "tab\there", `back\slash`, "esc\x1b"} {
		root := filepath.Join(t.TempDir(), name)
		if _, err := slurm.Create(root, slurmtest.SmallSweep(configs.Slurm{}), slurm.Plan{}, os.Args[0], "test"); err == nil || !strings.Contains(err.Error(), "--runs") {
			t.Errorf("%q: %v", name, err)
		}
		if _, err := os.Stat(root); err == nil {
			t.Errorf("%q: the folder was made", name)
		}
	}
}

func TestSetup(t *testing.T) {
	source := filepath.Join(t.TempDir(), "module")
	slurmlab.Must(t, os.WriteFile(source, []byte(`[ $# = 0 ] || exit 9; export GREETING="hello $UNSET_VARIABLE"; round=9 base=9`+"\n"), 0o666))
	s := configs.Slurm{Setup: []string{"source " + term.Shell(source), "export SECOND=$GREETING"}}
	// A task is ended by a signal to its batch script, so that has to become the program.
	run := slurmtest.Created(t, t.TempDir(), s, 1, `echo "$SECOND $4 $6 $$"`)
	cmd := exec.Command("bash", run.Path(slurm.TaskScript), "1", "2")
	out, err := cmd.CombinedOutput()
	if err != nil || string(out) != fmt.Sprintf("hello  1 2 %d\n", cmd.Process.Pid) {
		t.Errorf("the task printed %q, %v", out, err)
	}

	run = slurmtest.Created(t, t.TempDir(), configs.Slurm{Setup: []string{"module-that-is-not-there load CUDA"}}, 1, "echo runs")
	out, err = exec.Command("bash", run.Path(slurm.TaskScript), "1", "2").CombinedOutput()
	if err == nil || strings.Contains(string(out), "runs") || !strings.Contains(string(out), "module-that-is-not-there") {
		t.Errorf("a setup that fails: %q, %v", out, err)
	}
	if out, err := exec.Command("bash", run.Path(slurm.FinishScript), "1").CombinedOutput(); err != nil || string(out) != "runs\n" {
		t.Errorf("the merge depends on the setup: %q, %v", out, err)
	}
}

// What wraps the program gets it with all of its arguments as they are, for tasks and the merge.
func TestWrap(t *testing.T) {
	wrapper := filepath.Join(t.TempDir(), "two words")
	slurmlab.Must(t, os.WriteFile(wrapper, []byte("#!/bin/bash\n[ \"$1\" = \"my image.sif\" ] || exit 9\necho in $1\nshift\n"+
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
			slurmlab.Must(t, cmd.Start())
			for _, err := os.Stat(filepath.Join(dir, "begun")); err != nil; _, err = os.Stat(filepath.Join(dir, "begun")) {
				time.Sleep(time.Millisecond)
			}
			slurmlab.Must(t, cmd.Process.Signal(sig))
			slurmlab.Must(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o666))
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
