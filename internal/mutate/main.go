package main

import (
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

func main() {
	n := flag.Int("n", 40, "mutants of each `package`; 0: all")
	seed := flag.Uint64("seed", 1, "of the draw")
	limit := flag.Duration("then", time.Minute, "skip packages that import it and whose tests take longer; 0s: skip all")
	verbose := flag.Bool("v", false, "print killed mutants as well, with the test that noticed")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: mutate [flags] PACKAGE…")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}

	if err := run(os.Stdout, flag.Args(), *n, *seed, *limit, *verbose); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

// run prints the survivors of each package, and then the table.
func run(w io.Writer, patterns []string, n int, seed uint64, limit time.Duration, verbose bool) error {
	m, err := readModule()
	if err != nil {
		return err
	}
	r, err := newRunner(m, limit)
	if err != nil {
		return err
	}
	defer r.close()
	same, err := readEquivalent("internal/mutate/equivalent.txt")
	if err != nil {
		return err
	}
	packages, err := m.match(patterns)
	if err != nil {
		return err
	}

	table := fmt.Sprintf("seed %d\n%-24s %6s %6s %6s %8s %10s %6s\n", seed, "package", "of", "drawn", "killed", "timeouts",
		"equivalent", "share")
	for _, p := range packages {
		t, err := mutatePackage(w, r, p, same, n, rand.New(rand.NewPCG(seed, 0)), verbose)
		if err != nil {
			return err
		}
		table += fmt.Sprintf("%-24s %6d %6d %6d %8d %10d %5.1f%%\n", strings.TrimPrefix(p.ImportPath, m.path+"/"),
			t.of, t.drawn, t.killed, t.timeouts, t.equivalent, 100*float64(t.killed)/float64(max(1, t.drawn-t.equivalent)))
	}
	_, err = io.WriteString(w, table)
	return err
}

// A tally counts the mutants of a package. Those of which it drew some do not all compile.
// Timeouts are among the killed.
type tally struct {
	of, drawn, killed, timeouts, equivalent int
}

// mutatePackage tries n mutants of a package that compile.
func mutatePackage(w io.Writer, r *runner, p *pkg, same equivalent, n int, random *rand.Rand,
	verbose bool) (t tally, err error) {
	mutants, err := p.mutants()
	if err != nil {
		return t, err
	}
	t.of = len(mutants)
	random.Shuffle(len(mutants), func(i, j int) { mutants[i], mutants[j] = mutants[j], mutants[i] })

	for _, m := range mutants {
		if n > 0 && t.drawn == n {
			break
		}
		if same.has(m) {
			t.drawn++
			t.equivalent++
			continue
		}
		o, err := r.try(p, m)
		if err != nil {
			return t, err
		}
		if o.state == stillborn {
			continue
		}
		t.drawn++
		if o.state != survived {
			t.killed++
		}
		if o.state == outOfTime {
			t.timeouts++
		}
		if o.state == survived || verbose {
			fmt.Fprintf(w, "%s:%d: %s %s\n- %s\n+ %s\n", m.file, m.line, o.state, o.by, m.old, m.new)
		}
	}
	return t, nil
}
