package matrix

import (
	"cmp"
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/sparse/generate"
	"spmvtune/tuner/matrix"
)

// listCommand is the command matrix list.
type listCommand struct{ output command.Output }

// listedMatrix is an element of what `matrix list --json` prints.
type listedMatrix struct {
	Matrix string `json:"matrix"`
	// Source is generate, path or suitesparse.
	Source string `json:"source"`
	// Spec is the generator with its arguments, the path, or Group/Name.
	Spec string `json:"spec"`
	// Twin is the generator of what is measured if Group/Name can't be downloaded.
	Twin      string `json:"twin,omitempty"`
	twinScale float64
	// Rows, Cols and NNZ are the planned sizes, see generate.Size. They are 0 for a matrix
	// that is not downloaded and has no twin.
	Rows   int      `json:"rows"`
	Cols   int      `json:"cols"`
	NNZ    int      `json:"nnz"`
	Sweeps []string `json:"sweeps"`
	Cached bool     `json:"cached"`
	// Here tells if Group/Name is downloaded.
	Here bool `json:"downloaded"`
}

func newMatrixList() *cobra.Command {
	var l listCommand
	cmd := &cobra.Command{
		Use:   "list [SWEEP]",
		Short: "List the matrices of the shipped sweeps, or of one sweep",
		Long: `list prints the matrices of the shipped sweeps, or of one sweep, which may be a file:
where they come from, their planned sizes, the sweeps, what replaces a matrix that can't be
downloaded, and whether they are cached or downloaded. It reads and generates nothing. Some
generators draw entries twice, so that a matrix may have a few percent fewer nonzeros than
planned. Columns, twins and sweeps are in the table with --wide, and in the other formats.`,
		Example: `  spmvtune matrix list
  spmvtune matrix list quickstart
  spmvtune matrix list --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: command.CompleteSweep,
		RunE:              l.Run,
	}
	l.output.Flags(cmd)
	l.output.Paged(cmd)
	return cmd
}

// Run lists matrices.
func (l *listCommand) Run(cmd *cobra.Command, args []string) error {
	sweeps := configs.Shipped()
	if len(args) > 0 {
		sweeps = args
	}
	list, err := listMatrices(cmd.Context(), sweeps)
	if err != nil {
		return err
	}

	if l.output.Data() {
		return l.output.Write(cmd.OutOrStdout(), list)
	}

	return l.table(list).Print(cmd.OutOrStdout())
}

// table has what a reader needs first; with --wide it has everything.
func (l *listCommand) table(list []listedMatrix) term.Table {
	t := term.Table{Columns: []string{"matrix", "source", "rows", "nnz", "here"}, Less: []string{"source", "here"}}
	if l.output.Wide {
		t.Columns = []string{"matrix", "source", "rows", "cols", "nnz", "or", "here", "sweeps"}
	}
	for _, m := range list {
		sizes := []any{m.Rows, m.Cols, m.NNZ}
		if m.Rows == 0 && m.Source == "suitesparse" {
			sizes = []any{nil, nil, nil}
		}
		if l.output.Wide {
			t.Add(slices.Concat([]any{m.Matrix, m.sourceText()}, sizes,
				[]any{m.twinText(), m.hereText(), strings.Join(m.Sweeps, ", ")})...)
		} else {
			t.Add(m.Matrix, m.sourceText(), sizes[0], sizes[2], m.hereText())
		}
	}
	return t
}

// sourceText is the name of the generator or the file. The JSON has the arguments.
func (m listedMatrix) sourceText() string {
	if name, _, ok := strings.Cut(m.Spec, "("); ok && m.Source == "generate" {
		return name
	}
	if m.Source == "suitesparse" {
		return m.Spec
	}
	return filepath.Base(m.Spec)
}

// twinText is the generator of the twin, with its scale if it is smaller.
func (m listedMatrix) twinText() string {
	name, _, _ := strings.Cut(m.Twin, "(")
	if m.twinScale != 0 && m.twinScale != 1 {
		name += fmt.Sprintf(" at scale %g", m.twinScale)
	}
	return name
}

// hereText says if the matrix is cached or downloaded.
func (m listedMatrix) hereText() string {
	switch {
	case m.Cached:
		return "cached"
	case m.Here:
		return "downloaded"
	}
	return ""
}

// listMatrices lists the matrices of some sweeps, each once, by name. Matrices of the same
// name but different content are different.
func listMatrices(ctx context.Context, sweeps []string) ([]listedMatrix, error) {
	resolver, err := show.NewResolver(false, nil)
	if err != nil {
		return nil, err
	}
	var list []listedMatrix
	at := map[[3]string]int{} // by name, spec and twin

	for _, name := range sweeps {
		sweep, err := configs.Load(name)
		if err != nil {
			return nil, err
		}
		for _, spec := range sweep.Matrices {
			m, err := listMatrix(ctx, spec, resolver)
			if err != nil {
				return nil, fmt.Errorf("sweep %s: %w", name, err)
			}
			key := [3]string{m.Matrix, m.Spec, m.Twin}
			if _, known := at[key]; !known {
				at[key] = len(list)
				list = append(list, m)
			}
			if in := &list[at[key]].Sweeps; !slices.Contains(*in, sweep.Name) {
				*in = append(*in, sweep.Name)
			}
		}
	}

	slices.SortFunc(list, func(a, b listedMatrix) int {
		return cmp.Or(cmp.Compare(a.Matrix, b.Matrix), cmp.Compare(a.Spec, b.Spec), cmp.Compare(a.Twin, b.Twin))
	})
	return list, nil
}

// listMatrix describes a matrix of a sweep.
func listMatrix(ctx context.Context, spec configs.Matrix, resolver *matrix.Resolver) (listedMatrix, error) {
	m := listedMatrix{Matrix: spec.Name, Source: "path", Spec: spec.Path}
	if spec.HasTwin() {
		m.Twin = generate.Spec(spec.Generate, spec.Args)
		_, m.twinScale = matrix.TwinOf(spec)
	}

	spec = resolver.Foresee(spec)
	m.Here = spec.SuiteSparse != "" && spec.Path != ""
	switch {
	case spec.SuiteSparse != "":
		m.Source, m.Spec = "suitesparse", spec.SuiteSparse
	case spec.Generate != "":
		m.Source, m.Spec = "generate", generate.Spec(spec.Generate, spec.Args)
	}

	size, err := matrix.SizeOf(spec)
	if err != nil {
		return m, err
	}
	m.Rows, m.Cols, m.NNZ = size.Rows, size.Cols, size.Nonzeros
	m.Cached = matrix.IsKept(ctx, spec)
	return m, nil
}
