package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"spmvtune/internal/cli/command"
	"spmvtune/kernels/cpu"
	"spmvtune/store"
)

// A cpuCounter runs a program and counts what its products do on a processor.
type cpuCounter struct {
	name  string
	count func(ctx context.Context, program []string) (store.Counts, error)
}

// findCPUCounter finds perf, if the system lets it count instructions, and valgrind otherwise.
func findCPUCounter(ctx context.Context) (cpuCounter, error) {
	try := exec.CommandContext(ctx, "perf", "stat", "-x;", "-e", "instructions:u", "true")
	if out, err := try.CombinedOutput(); err == nil && len(perfCounts(out)) > 0 {
		return cpuCounter{"perf, from the processor's own counters", countByPerf}, nil
	}
	if _, err := exec.LookPath("valgrind"); err == nil {
		return cpuCounter{"valgrind, which simulates two levels of cache", countByValgrind}, nil
	}
	return cpuCounter{}, command.WithHint(errors.New("nothing here counts what a processor does"),
		"install valgrind, or perf (linux-perf, linux-tools) where the system lets it count")
}

// callgrindNames are the sums of callgrind's events that are kept.
var callgrindNames = map[string]string{
	"Ir": "instructions", "Dr": "data_refs", "Dw": "data_refs", "D1mr": "d1_misses", "D1mw": "d1_misses",
	"DLmr": "ll_misses", "DLmw": "ll_misses",
}

var (
	callgrindEvents = regexp.MustCompile(`(?m)^==\d+== Events +: (.*)$`)
	callgrindSums   = regexp.MustCompile(`(?m)^==\d+== Collected : ([\d ]*)$`)
)

// countByValgrind runs a program under callgrind. It counts when the program asks it to. Go's
// signals that preempt goroutines are more than callgrind 3.19 can take, and collections of garbage
// come at random.
func countByValgrind(ctx context.Context, program []string) (store.Counts, error) {
	out, err := runCounted(ctx, append([]string{"valgrind", "--tool=callgrind", "--cache-sim=yes",
		"--instr-atstart=no", "--callgrind-out-file=/dev/null"}, program...),
		"GODEBUG=asyncpreemptoff=1", "GOGC=off")
	if err != nil {
		return nil, err
	}
	events, sums := callgrindEvents.FindSubmatch(out), callgrindSums.FindSubmatch(out)
	if events == nil || sums == nil {
		return nil, fmt.Errorf("valgrind prints no counts: %s", lastLine(out))
	}

	counts, values := store.Counts{}, strings.Fields(string(sums[1]))
	for i, event := range strings.Fields(string(events[1])) {
		if name := callgrindNames[event]; name != "" && i < len(values) {
			v, _ := strconv.ParseFloat(values[i], 64) // digits
			counts[name] += v
		}
	}
	return counts, nil
}

// perfNames are the processor's events that are kept, as perf calls them.
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
	for _, pipe := range []string{commands, answers} {
		if err := unix.Mkfifo(pipe, 0o600); err != nil {
			return nil, fmt.Errorf("making a pipe to perf: %w", err)
		}
	}

	control := commands + "," + answers
	out, err := runCounted(ctx, append([]string{"perf", "stat", "-x;", "--delay=-1", "--control=fifo:" + control,
		"-e", "instructions:u,L1-dcache-loads:u,L1-dcache-load-misses:u,LLC-load-misses:u", "--"}, program...),
		cpu.CountControl+"="+control)
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
		return nil, fmt.Errorf("counting with %s: %w: %s", argv[0], err, lastLine(out))
	}
	return out, nil
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}

// countOnCPU counts what a product does in the processor. The program runs n products.
func countOnCPU(ctx context.Context, with cpuCounter, program []string, n int) (store.Counts, error) {
	counts, err := with.count(ctx, program)
	for name := range counts {
		counts[name] /= float64(n)
	}
	return counts, err
}
