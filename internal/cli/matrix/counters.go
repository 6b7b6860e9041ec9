package matrix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/kernels/cpu"
	"spmvtune/sparse"
	"spmvtune/tuner/matrix"
)

func newMatrixCounters() *cobra.Command {
	var target Target
	var products int
	var inside string
	cmd := &cobra.Command{
		Use:   "counters MATRIX",
		Short: "Count the memory references and cache misses of CPU products",
		Long: `counters runs the sequential products of COO and CSR in float32 under cachegrind
(valgrind) or, where that is not installed, counts them with the processor's own
counters (perf stat). What the program does besides, reading the matrix and building
the format, is run alone and subtracted. It is Table IV of coo-spmv-final.

` + TargetHelp,
		Example: `  spmvtune matrix counters model7.mtx
  spmvtune matrix counters twin:of=model7 --products 100`,
		Args:              command.Needs("a matrix: a file, or a generator as in twin:of=model7"),
		ValidArgsFunction: completeTarget,
		RunE: func(cmd *cobra.Command, args []string) error {
			spec, err := target.Spec(args[0])
			if err != nil {
				return err
			}
			if inside != "" {
				a, _, err := matrix.Load(cmd.Context(), spec)
				if err != nil {
					return err
				}
				return multiply(a, inside, products)
			}
			if products < 1 {
				return command.Usage(errors.New("--products is the number of products to count: 1 or more"))
			}
			c, err := findCounter()
			if err != nil {
				return err
			}
			return printCounters(cmd.Context(), cmd.OutOrStdout(), c, products, func(kernel string, n int) []string {
				line := []string{"matrix", "counters", args[0], "--inside", kernel, "--products", strconv.Itoa(n)}
				if target.triangle {
					line = append(line, "--no-expand")
				}
				if target.ComplexMode != "" {
					line = append(line, "--complex", target.ComplexMode)
				}
				return line
			})
		},
	}
	cmd.Flags().IntVar(&products, "products", 500, "products to count, as many as in the paper")
	cmd.Flags().StringVar(&inside, "inside", "", "the kernel to run, where it is counted already")
	cobra.CheckErr(cmd.Flags().MarkHidden("inside"))
	target.Flags(cmd)
	return cmd
}

// multiply runs n products of a kernel; 0 only prepares them.
func multiply(a *sparse.CSR[float64], kernel string, n int) (err error) {
	b, err := cpu.Open()
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	x := make([]float64, a.Cols)
	for i := range x {
		x[i] = 1
	}
	if err := b.Load(&kernels.Problem{A: a, X: x}); err != nil {
		return err
	}
	p, err := b.Prepare(kernels.Config{Kernel: kernel, Precision: kernels.Float32})
	if err != nil || n == 0 {
		return err
	}
	return p.Sample(make([]float64, 1), n, false)
}

// A counter runs a program and counts.
type counter struct {
	name  string
	words []string // before the program
	// lines finds a count in what it prints, in the order references, misses of the
	// first level, misses of the last.
	lines [3]*regexp.Regexp
}

// counters are tried in this order: cachegrind simulates a cache and gives the same counts
// each time.
var counters = []counter{
	{"valgrind", []string{"--tool=cachegrind", "--cache-sim=yes", "--cachegrind-out-file=/dev/null"}, [3]*regexp.Regexp{
		regexp.MustCompile(`D +refs: +([\d,]+)`), regexp.MustCompile(`D1 +misses: +([\d,]+)`), regexp.MustCompile(`LLd +misses: +([\d,]+)`)}},
	{"perf", []string{"stat", "-x;", "-e", "L1-dcache-loads,L1-dcache-load-misses,LLC-load-misses", "--"}, [3]*regexp.Regexp{
		regexp.MustCompile(`(?m)^(\d+);.*L1-dcache-loads`), regexp.MustCompile(`(?m)^(\d+);.*L1-dcache-load-misses`), regexp.MustCompile(`(?m)^(\d+);.*LLC-load-misses`)}},
}

func findCounter() (counter, error) {
	for _, c := range counters {
		if _, err := exec.LookPath(c.name); err == nil {
			return c, nil
		}
	}
	return counter{}, command.WithHint(errors.New("there is nothing here that counts cache misses"), "install valgrind, or perf (linux-tools)")
}

// count runs this program with some arguments.
func (c *counter) count(ctx context.Context, args []string) (counts [3]int64, err error) {
	program, err := os.Executable()
	if err != nil {
		return counts, fmt.Errorf("finding this program: %w", err)
	}
	cmd := exec.CommandContext(ctx, c.name, append(append(c.words[:len(c.words):len(c.words)], program), args...)...)
	// Collections of garbage come when they like, and would be in one count and not in
	// another.
	cmd.Env = append(os.Environ(), "GOGC=off", "GOMAXPROCS=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return counts, fmt.Errorf("counting with %s: %w: %s", c.name, err, lastLine(out))
	}
	for i, line := range c.lines {
		m := line.FindSubmatch(out)
		if m == nil {
			return counts, fmt.Errorf("counting with %s: it does not tell, this machine may have no such counter: %s", c.name, lastLine(out))
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

// printCounters prints a row for each of the two products.
func printCounters(ctx context.Context, w io.Writer, c counter, products int, program func(kernel string, n int) []string) error {
	g := term.Table{Columns: []string{"kernel", "D refs", "D1 misses", "LLd misses", "D1 miss rate (%)", "LLd miss rate (%)"}}
	for _, kernel := range []string{"cpu_coo", "cpu_csr"} {
		without, err := c.count(ctx, program(kernel, 0))
		if err != nil {
			return err
		}
		n, err := c.count(ctx, program(kernel, products))
		if err != nil {
			return err
		}
		if n[0] <= without[0] {
			return command.WithHint(fmt.Errorf("counting %s: the %s can't be told from what the program does besides", kernel, term.Count(products, "product", "products")),
				fmt.Sprintf("count more of them: --products %d", 10*products))
		}
		for i := range n {
			n[i] = max(0, n[i]-without[i])
		}
		rate := func(misses int64) any {
			if n[0] == 0 {
				return nil
			}
			return 100 * float64(misses) / float64(n[0])
		}
		g.Rows = append(g.Rows, []any{kernel, n[0], n[1], n[2], rate(n[1]), rate(n[2])})
	}
	fmt.Fprintf(w, "%s in float32, by %s\n", term.Count(products, "product", "products"), c.name)
	return g.Print(w)
}
