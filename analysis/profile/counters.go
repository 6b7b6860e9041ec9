// SPDX-License-Identifier: Apache-2.0

package profile

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

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels/cpu"
	"example.org/spmvtune/kernels/cuda"
	"example.org/spmvtune/store"
	"example.org/spmvtune/store/importer"
	"example.org/spmvtune/tuner/trial"
)

// countOnCPU counts what the products of trials do in a processor. A counter is that of one product.
func (p *Profiler) countOnCPU(ctx context.Context, trials []store.Row) ([]counted, error) {
	products := countedProducts[trials[0].Cache]
	list, err := p.countAll(ctx, trials, "--products="+strconv.Itoa(products))
	for _, c := range list {
		for name := range c.Counts {
			if name != "simulated" {
				c.Counts[name] /= float64(products)
			}
		}
	}
	return list, err
}

// countAll counts what the process does that computes the products of trials: by perf, of each trial
// one, if the system lets it count instructions, otherwise by valgrind.
func (p *Profiler) countAll(ctx context.Context, trials []store.Row, products string) (list []counted, err error) {
	try := exec.CommandContext(ctx, "perf", "stat", "-x;", "-e", "instructions:u", "true")
	if out, err := try.CombinedOutput(); err == nil && len(perfCounts(out)) > 0 {
		for i := range trials {
			line, err := p.productLine("cpu", trials[i:i+1])
			if err != nil {
				return nil, err
			}
			counts, err := countByPerf(ctx, append(line, products))
			if err != nil {
				return nil, err
			}
			list = append(list, counted{Counts: counts})
		}
		return list, nil
	}
	if _, err := exec.LookPath("valgrind"); err != nil {
		return nil, term.WithHint(errors.New("nothing here counts what a processor does"),
			"install valgrind, or perf (linux-perf, linux-tools) where the system lets it count")
	}
	line, err := p.productLine("cpu", trials)
	if err != nil {
		return nil, err
	}
	return countByValgrind(ctx, append(line, products), len(trials))
}

// callgrindNames are the counters in which callgrind's events are kept.
var callgrindNames = map[string]string{
	"Ir": "instructions", "Dr": "data_refs", "Dw": "data_refs", "D1mr": "d1_misses", "D1mw": "d1_misses",
	"DLmr": "ll_misses", "DLmw": "ll_misses",
}

// countByValgrind runs a program under callgrind, which simulates two levels of cache. When the program
// asks it to, it counts, and writes what it counted into a file: of each trial one. Go's signals that
// preempt goroutines and the instruction rdtscp are more than callgrind 3.19 can take, and collections of garbage come at random.
func countByValgrind(ctx context.Context, program []string, n int) ([]counted, error) {
	dir, err := os.MkdirTemp("", "spmvtune-valgrind-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "counts")
	_, err = runCounted(ctx, append([]string{"valgrind", "--tool=callgrind", "--cache-sim=yes", "--instr-atstart=no",
		"--callgrind-out-file=" + file}, program...), "GODEBUG=asyncpreemptoff=1,cpu.rdtscp=off", "GOGC=off")
	if err != nil {
		return nil, err
	}

	list := make([]counted, n)
	for i := range list {
		text, err := os.ReadFile(fmt.Sprintf("%s.%d", file, i+1))
		if err != nil {
			return nil, fmt.Errorf("reading what valgrind counted: %w", err)
		}
		list[i].Counts = callgrindCounts(string(text))
		list[i].Counts["simulated"] = 1
	}
	return list, nil
}

// callgrindCounts reads the sums in a file of callgrind.
func callgrindCounts(text string) store.Counts {
	counts := store.Counts{}
	var events []string
	for line := range strings.Lines(text) {
		if list, ok := strings.CutPrefix(line, "events:"); ok {
			events = strings.Fields(list)
		}
		if list, ok := strings.CutPrefix(line, "totals:"); ok {
			for i, value := range strings.Fields(list) {
				if v, err := strconv.ParseFloat(value, 64); err == nil && i < len(events) && callgrindNames[events[i]] != "" {
					counts[callgrindNames[events[i]]] += v
				}
			}
		}
	}
	return counts
}

// perfNames are the counters in which perf's events are kept.
var perfNames = map[string]string{
	"instructions": "instructions", "L1-dcache-loads": "data_refs", "L1-dcache-load-misses": "d1_misses",
	"LLC-load-misses": "ll_misses",
}

// countByPerf runs a program under perf, which counts when the program asks it to.
func countByPerf(ctx context.Context, program []string) (store.Counts, error) {
	dir, err := os.MkdirTemp("", "spmvtune-perf-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	commands, answers := filepath.Join(dir, "commands"), filepath.Join(dir, "answers")
	if err := errors.Join(unix.Mkfifo(commands, 0o600), unix.Mkfifo(answers, 0o600)); err != nil {
		return nil, fmt.Errorf("making pipes to perf: %w", err)
	}

	events := "instructions:u,L1-dcache-loads:u,L1-dcache-load-misses:u,LLC-load-misses:u"
	out, err := runCounted(ctx, append([]string{"perf", "stat", "-x;", "--delay=-1", "-e", events,
		"--control=fifo:" + commands + "," + answers, "--"}, program...), cpu.CountControl+"="+commands+","+answers)
	if err != nil {
		return nil, err
	}
	return perfCounts(out), nil
}

// perfCounts reads what perf stat -x; prints: value, unit and event of each line. Events that the
// processor can't count have no value.
func perfCounts(out []byte) store.Counts {
	counts := store.Counts{}
	for line := range strings.Lines(string(out)) {
		fields := strings.Split(line, ";")
		if len(fields) < 3 {
			continue
		}
		event, _, _ := strings.Cut(fields[2], ":")
		if v, err := strconv.ParseFloat(fields[0], 64); err == nil && perfNames[event] != "" {
			counts[perfNames[event]] = v
		}
	}
	return counts
}

// runCounted runs a program under a profiler and returns what both print.
func runCounted(ctx context.Context, argv []string, env ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(string(out)), "\n")
		return nil, fmt.Errorf("counting with %s: %w: %s", argv[0], err, cmp.Or(complaint(out), lines[len(lines)-1]))
	}
	return out, nil
}

// trialsMark begins the line of a script's output that says what the table after it is of: the number
// of products, and the trials.
const trialsMark = "==TRIALS== "

// Script prints a script that counts what trials do, for a user who may. What that prints is imported.
func (p *Profiler) Script(ctx context.Context, choose Choice) error {
	db, w := p.DB, p.W
	trials, err := p.choose(ctx, choose)
	if err != nil {
		return err
	}
	ncu, err := findNCU()
	if err != nil {
		ncu = "ncu" // of the machine that counts
	}
	fmt.Fprintln(w, "export LC_ALL=C")
	for _, group := range groups(trials) {
		if k, err := definition(ctx, db, &group[0]); err != nil || k.Backend != "cuda" {
			continue
		}
		line, products, err := p.ncuLine(ncu, group)
		if err != nil {
			return err
		}
		mark := trialsMark + strconv.Itoa(products)
		for i := range group {
			mark += " " + group[i].ID
		}
		fmt.Fprintf(w, "echo %s\n%s\n", term.Shell(mark), term.Shell(line...))
	}
	return nil
}

// mostTable is the most that is read of a table.
const mostTable = 1 << 28

// Import keeps what a script has counted.
func (p *Profiler) Import(ctx context.Context, table string) error {
	db, w := p.DB, p.W
	text, err := files.ReadFile(table, mostTable)
	if err != nil {
		return err
	}
	counts, missing := map[string]store.Counts{}, []string(nil)
	parts := bytes.Split(text, []byte(trialsMark))
	for i, part := range parts[1:] {
		before := bytes.Count(bytes.Join(parts[:i+1], nil), []byte("\n"))
		if missing, err = readPart(ctx, db, table, part, before, counts); err != nil {
			return term.WithHint(err, "nothing was kept")
		}
	}
	if len(parts) == 1 {
		return term.WithHint(fmt.Errorf("%s has no line that begins with %s", table, trialsMark),
			"make it with the script that spmvtune profile --print prints; docs/profiling.md has an example")
	}
	if err := db.SaveCounts(ctx, counts); err != nil {
		return err
	}
	fmt.Fprintf(w, "%s counted\n", term.Trials(len(counts)))
	if len(missing) > 0 {
		fmt.Fprintf(w, "note: %s does not have %s\n", table, strings.Join(missing, ", "))
	}
	return nil
}

// readPart reads the line after the mark, and the table. There are so many lines before it.
func readPart(ctx context.Context, db *store.DB, name string, part []byte, before int,
	counts map[string]store.Counts) (missing []string, err error) {
	first, table, _ := bytes.Cut(part, []byte("\n"))
	words := strings.Fields(string(first))
	if len(words) < 2 {
		return nil, fmt.Errorf("%s:%d: no trials are named", name, before+1)
	}
	products, err := strconv.Atoi(words[0])
	if err != nil || products < 1 {
		return nil, fmt.Errorf("%s:%d: %q is not a product count", name, before+1, words[0])
	}
	var trials []store.Row
	for _, id := range words[1:] {
		list, err := db.Results(ctx, store.Filter{ID: id})
		if err != nil {
			return nil, err
		}
		if len(list) == 0 {
			return nil, fmt.Errorf("%s:%d: the database has no trial %s in force", name, before+1, id)
		}
		trials = append(trials, list[0])
	}

	table = slices.Concat(bytes.Repeat([]byte("\n"), before+1), table)
	list, err := countsOf(importer.File{Name: name, Content: bytes.NewReader(table)}, trials, products)
	for i := range list {
		counts[trials[i].ID], missing = list[i].Counts, list[i].missing
	}
	return missing, err
}

// countsOf reads what ncu has counted of so many products of each of some trials.
func countsOf(f importer.File, trials []store.Row, products int) ([]counted, error) {
	launches, missing, err := importer.ReadProfile(f)
	if err != nil {
		return nil, err
	}
	parts := importer.Split(launches, cuda.Mark)
	if len(parts) != len(trials) {
		return nil, fmt.Errorf("%s covers %d trials, expected %d", f.Name, len(parts), len(trials))
	}
	list := make([]counted, len(trials))
	for i, t := range trials {
		list[i].missing = missing
		list[i].Counts, list[i].of = importer.OfProduct(parts[i], cuda.Entry(t.Config, t.Rows, t.NNZ), products)
	}
	return list, nil
}

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
func (p *Profiler) ncuLine(ncu string, trials []store.Row) (line []string, products int, err error) {
	program, err := p.productLine("cuda", trials)
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
func (p *Profiler) countByNCU(ctx context.Context, trials []store.Row) ([]counted, error) {
	ncu, err := findNCU()
	if err != nil {
		return nil, err
	}
	line, products, err := p.ncuLine(ncu, trials)
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
var errNoCounters = term.WithHint(
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
	return "", term.WithHint(errors.New("ncu (Nsight Compute) not found"),
		"it is part of the CUDA toolkit")
}
