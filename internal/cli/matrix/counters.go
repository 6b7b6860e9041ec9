package matrix

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/kernels/cpu"
	"spmvtune/sparse"
	"spmvtune/tuner/matrix"
)

// countersCommand is the command matrix counters.
type countersCommand struct {
	products int
	inside   string // The kernel to run in the process that is counted.
	target   Target
}

func newMatrixCounters() *cobra.Command {
	var c countersCommand
	cmd := &cobra.Command{
		Use:   "counters MATRIX",
		Short: "Count the memory references and cache misses of CPU products",
		Long: `counters runs the sequential products of COO and CSR in float32 under cachegrind
(valgrind) or, if that is not installed, counts them with the processor's own counters
(perf stat). It runs everything else that the program does (reading the matrix, building
the format) alone and subtracts it. The result is Table IV of coo-spmv-final.

` + TargetHelp,
		Example: `  spmvtune matrix counters model7.mtx
  spmvtune matrix counters twin:of=model7 --products 100`,
		Args:              command.Needs("a matrix: a file, or a generator as in twin:of=model7"),
		ValidArgsFunction: completeTarget,
		RunE:              c.Run,
	}
	cmd.Flags().IntVar(&c.products, "products", 500, "number of products to count (the paper's by default)")
	cmd.Flags().StringVar(&c.inside, "inside", "", "kernel to run in the process that is counted")
	cobra.CheckErr(cmd.Flags().MarkHidden("inside"))
	c.target.Flags(cmd)
	return cmd
}

// Run counts products, or runs those that are counted.
func (c *countersCommand) Run(cmd *cobra.Command, args []string) error {
	spec, err := c.target.Spec(args[0])
	if err != nil {
		return err
	}
	if c.inside != "" {
		a, _, err := matrix.Load(cmd.Context(), spec)
		if err != nil {
			return err
		}
		return multiply(a, c.inside, c.products)
	}

	if c.products < 1 {
		return command.Usage(errors.New("--products must be greater than zero"))
	}
	counter, err := findCounter()
	if err != nil {
		return err
	}
	return c.print(cmd.Context(), cmd.OutOrStdout(), counter, args[0])
}

// again are the arguments of this program that run n products of a kernel.
func (c *countersCommand) again(target, kernel string, n int) []string {
	line := []string{"matrix", "counters", target, "--inside", kernel, "--products", strconv.Itoa(n)}
	if c.target.triangle {
		line = append(line, "--no-expand")
	}
	if c.target.ComplexMode != "" {
		line = append(line, "--complex", c.target.ComplexMode)
	}
	return line
}

// print prints a row for each of the two products.
func (c *countersCommand) print(ctx context.Context, w io.Writer, with counter, target string) error {
	t := term.Table{Columns: []string{
		"kernel", "D refs", "D1 misses", "LLd misses", "D1 miss rate (%)", "LLd miss rate (%)",
	}}
	products := term.Count(c.products, "product", "products")
	for _, kernel := range []string{"cpu_coo", "cpu_csr"} {
		without, err := with.count(ctx, c.again(target, kernel, 0))
		if err != nil {
			return err
		}
		n, err := with.count(ctx, c.again(target, kernel, c.products))
		if err != nil {
			return err
		}
		if n[0] <= without[0] {
			return command.WithHint(fmt.Errorf("counting %s: the rest of the program hides the %s", kernel, products),
				fmt.Sprintf("count more of them: --products %d", 10*c.products))
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
		t.Add(kernel, n[0], n[1], n[2], rate(n[1]), rate(n[2]))
	}

	fmt.Fprintf(w, "%s in float32, by %s\n", products, with.name)
	return t.Print(w)
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
	p, err := b.Prepare(kernels.Config{Kernel: kernel, Precision: kernels.Float32}, kernels.Options{})
	if err != nil || n == 0 {
		return err
	}

	return p.Sample(make([]float64, 1), n, false)
}
