package matrix

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"spmvtune/internal/cli/command"
)

// A counter is a program that runs another one and counts.
type counter struct {
	name  string
	words []string // The words before the counted program.
	// lines find the counts in the output: references, misses of the first level, misses of
	// the last level.
	lines [3]*regexp.Regexp
}

// counters are tried in this order: cachegrind simulates a cache and always gives the same
// counts.
var counters = []counter{
	{"valgrind", []string{"--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null"}, [3]*regexp.Regexp{
		regexp.MustCompile(`D +refs: +([\d,]+)`),
		regexp.MustCompile(`D1 +misses: +([\d,]+)`),
		regexp.MustCompile(`LLd +misses: +([\d,]+)`),
	}},
	{"perf", []string{"stat", "-x;", "-e", "L1-dcache-loads,L1-dcache-load-misses,LLC-load-misses", "--"},
		[3]*regexp.Regexp{
			regexp.MustCompile(`(?m)^(\d+);.*L1-dcache-loads`),
			regexp.MustCompile(`(?m)^(\d+);.*L1-dcache-load-misses`),
			regexp.MustCompile(`(?m)^(\d+);.*LLC-load-misses`)}},
}

func findCounter() (counter, error) {
	for _, c := range counters {
		if _, err := exec.LookPath(c.name); err == nil {
			return c, nil
		}
	}
	return counter{}, command.WithHint(errors.New("no program here counts cache misses"),
		"install valgrind, or perf (linux-tools)")
}

// count runs this program with some arguments.
func (c *counter) count(ctx context.Context, args []string) (counts [3]int64, err error) {
	program, err := os.Executable()
	if err != nil {
		return counts, fmt.Errorf("finding this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, c.name, append(append(c.words[:len(c.words):len(c.words)], program), args...)...)
	// Garbage collections come at random, and would be in one count but not in another.
	cmd.Env = append(os.Environ(), "GOGC=off", "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return counts, fmt.Errorf("counting with %s: %w: %s", c.name, err, lastLine(out))
	}

	for i, line := range c.lines {
		m := line.FindSubmatch(out)
		if m == nil {
			return counts, fmt.Errorf("counting with %s: no count in its output; this machine may have "+
				"no such counter: %s", c.name, lastLine(out))
		}
		if counts[i], err = strconv.ParseInt(strings.ReplaceAll(string(m[1]), ",", ""), 10, 64); err != nil {
			return counts, fmt.Errorf("counting with %s: %w", c.name, err)
		}
	}

	return counts, nil
}

func lastLine(text []byte) string {
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1]
}
