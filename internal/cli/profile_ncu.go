package cli

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"spmvtune/internal/cli/command"
	"spmvtune/store"
	"spmvtune/store/importer"
	"spmvtune/tuner/trial"
)

// countedProducts is how many products of a trial are counted, by the state of caches. The first one
// with warm caches follows the writing of a poisoned y; of each counter the median is kept.
var countedProducts = map[trial.Cache]int{trial.Cold: 1, trial.Warm: 3}

// ncuOptions are those of ncu that do not depend on the trials. The program says what is counted, and
// clocks are as in trials.
var ncuOptions = []string{"--csv", "--page=raw", "--print-units=base", "--profile-from-start=off",
	"--clock-control=none"}

// replays says how ncu counts in several passes over a kernel, by the state of caches. Between passes
// in one process it copies the device's memory, which goes through the caches. So that warm ones stay
// warm, each pass has a process of its own.
var replays = map[trial.Cache][]string{
	trial.Cold: {"--cache-control=all", "--replay-mode=kernel"},
	trial.Warm: {"--cache-control=none", "--replay-mode=application"},
}

// ncuLine is the command line that counts what trials of a matrix do, with the number of products.
func ncuLine(ncu, path string, trials []store.Row) (line []string, products int, err error) {
	program, err := productLine("cuda", path, trials)
	if err != nil {
		return nil, 0, err
	}
	cache := trials[0].Cache
	if cache != trial.Cold {
		cache = trial.Warm
	}
	products = countedProducts[cache]
	line = slices.Concat([]string{ncu}, ncuOptions, replays[cache], []string{"--metrics=" + importer.Metrics()}, program,
		[]string{"--products=" + strconv.Itoa(products)})
	return line, products, nil
}

// countByNCU counts with Nsight Compute what the products of trials do.
func countByNCU(ctx context.Context, path string, trials []store.Row) ([]counted, error) {
	ncu, err := findNCU()
	if err != nil {
		return nil, err
	}
	line, products, err := ncuLine(ncu, path, trials)
	if err != nil {
		return nil, err
	}
	out, err := runNCU(ctx, line)
	if err != nil {
		return nil, err
	}
	return countsOf(importer.File{Name: "ncu's table", Content: bytes.NewReader(out)}, trials, products)
}

// runNCU runs ncu. Metrics that this version does not know are left out.
func runNCU(ctx context.Context, line []string) ([]byte, error) {
	for {
		cmd := exec.CommandContext(ctx, line[0], line[1:]...)
		cmd.Env = append(os.Environ(), "LC_ALL=C")
		out, err := cmd.CombinedOutput()
		if err == nil && !bytes.Contains(out, []byte("==ERROR==")) {
			return out, nil
		}
		if bytes.Contains(out, []byte("ERR_NVGPUCTRPERM")) {
			return nil, errNoCounters
		}
		fewer := withoutUnknown(line, out)
		if slices.Equal(fewer, line) {
			return nil, fmt.Errorf("ncu: %s", cmp.Or(complaint(out), fmt.Sprint(err)))
		}
		line = fewer
	}
}

// errNoCounters says that the system lets only its administrator count.
var errNoCounters = command.WithHint(
	errors.New("this user may not read the GPU's counters (ERR_NVGPUCTRPERM)"),
	"run it as root, or have the administrator load the driver's module with "+
		"NVreg_RestrictProfilingToAdminUsers=0, or run what --print prints as a user who may, and --import its output")

// withoutUnknown leaves the metrics out of a command line that ncu's errors name.
func withoutUnknown(line []string, out []byte) []string {
	line = slices.Clone(line)
	at := slices.IndexFunc(line, func(word string) bool { return strings.HasPrefix(word, "--metrics=") })
	metrics := strings.Split(strings.TrimPrefix(line[at], "--metrics="), ",")
	metrics = slices.DeleteFunc(metrics, func(m string) bool {
		for said := range bytes.Lines(out) {
			if bytes.HasPrefix(said, []byte("==ERROR==")) && bytes.Contains(said, []byte(m)) {
				return true
			}
		}
		return false
	})
	line[at] = "--metrics=" + strings.Join(metrics, ",")
	return line
}

// complaint is the first line of an output that says what is wrong: that of our own program, or of
// ncu.
func complaint(out []byte) string {
	for _, mark := range []string{"error: ", "==ERROR== "} {
		for line := range strings.Lines(string(out)) {
			if said, ok := strings.CutPrefix(line, mark); ok {
				return strings.TrimSpace(said)
			}
		}
	}
	return ""
}

// findNCU finds Nsight Compute, which may lie in the CUDA toolkit only.
func findNCU() (string, error) {
	if path, err := exec.LookPath("ncu"); err == nil {
		return path, nil
	}
	for _, root := range []string{os.Getenv("CUDA_HOME"), os.Getenv("CUDA_PATH"), "/usr/local/cuda", "/opt/cuda"} {
		path := filepath.Join(root, "bin", "ncu")
		if info, err := os.Stat(path); root != "" && err == nil && !info.IsDir() {
			return path, nil
		}
	}
	return "", command.WithHint(errors.New("there is no ncu, of Nsight Compute, here"),
		"it is part of the CUDA toolkit")
}
