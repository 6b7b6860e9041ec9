package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"spmvtune/internal/cli/command"
	"spmvtune/kernels/cpu"
	"spmvtune/store"
)

// countOnCPU counts what the products of trials do in a processor. A counter is that of one product.
func countOnCPU(ctx context.Context, path string, trials []store.Row) ([]counted, error) {
	products := countedProducts[trials[0].Cache]
	list, err := countAll(ctx, path, trials, "--products="+strconv.Itoa(products))
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
func countAll(ctx context.Context, path string, trials []store.Row, products string) (list []counted, err error) {
	try := exec.CommandContext(ctx, "perf", "stat", "-x;", "-e", "instructions:u", "true")
	if out, err := try.CombinedOutput(); err == nil && len(perfCounts(out)) > 0 {
		for i := range trials {
			line, err := productLine("cpu", path, trials[i:i+1])
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
		return nil, command.WithHint(errors.New("nothing here counts what a processor does"),
			"install valgrind, or perf (linux-perf, linux-tools) where the system lets it count")
	}
	line, err := productLine("cpu", path, trials)
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
// preempt goroutines are more than callgrind 3.19 can take, and collections of garbage come at random.
func countByValgrind(ctx context.Context, program []string, n int) ([]counted, error) {
	dir, err := os.MkdirTemp("", "spmvtune-valgrind-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "counts")
	_, err = runCounted(ctx, append([]string{"valgrind", "--tool=callgrind", "--cache-sim=yes", "--instr-atstart=no",
		"--callgrind-out-file=" + file}, program...), "GODEBUG=asyncpreemptoff=1", "GOGC=off")
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
