// SPDX-License-Identifier: Apache-2.0

// Package matrix is the command matrix with its subcommands: it describes, draws, converts, lists, caches and
// downloads matrices.
package matrix

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/sparse/file"
	"example.org/spmvtune/sparse/generate"
	"example.org/spmvtune/tuner/matrix"
)

func NewCommand() *cobra.Command {
	cmd := command.Group(&cobra.Command{
		Use:   "matrix",
		Short: "Look at matrices, convert and download them",
		Example: `  spmvtune matrix info bcsstk13.mtx.gz
  spmvtune matrix spy bcsstk13.mtx.gz -o bcsstk13.png
  spmvtune matrix get HB/bcsstk13
  spmvtune matrix convert bcsstk13.mtx.gz bcsstk13.npz
  spmvtune matrix list`,
	})
	cmd.AddCommand(newMatrixInfo(), newMatrixSpy(), newMatrixConvert(), newMatrixList(),
		newMatrixGet(), newMatrixCache())
	return cmd
}

// convertCommand is the command matrix convert.
type convertCommand struct {
	force, symmetric bool
	target           Target
}

func newMatrixConvert() *cobra.Command {
	var c convertCommand
	cmd := &cobra.Command{
		Use:   "convert MATRIX FILE",
		Short: "Write a matrix in another format",
		Long: `convert writes a matrix to a file. The extension of the file chooses the format:

` + exportFormats() + `
It writes all entries, of a symmetric file both triangles, unless --symmetric asks for the
lower triangle. A matrix without values keeps none. convert prints what the format cannot
hold. The file appears when it is complete. An existing file stays unless you give --force.

` + TargetHelp,
		Example: `  spmvtune matrix convert A.mtx.gz A.npz
  spmvtune matrix convert --symmetric bcsstk13.mtx.gz bcsstk13.rb
  spmvtune matrix convert delaunay:points=1000000 delaunay.mtx.gz`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return errors.New("convert needs a matrix, and the file to write")
			}
			return nil
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 1 {
				return nil, cobra.ShellCompDirectiveDefault
			}
			return completeTarget(cmd, args, begun)
		},
		RunE: c.Run,
	}
	cmd.Flags().BoolVar(&c.force, "force", false, "replace an existing file")
	cmd.Flags().BoolVar(&c.symmetric, "symmetric", false, "write the lower triangle of a symmetric matrix")
	c.target.Flags(cmd)
	return cmd
}

// Run writes the matrix.
func (c *convertCommand) Run(cmd *cobra.Command, args []string) error {
	out := args[1]
	format, known := file.FormOf(out)
	if !known {
		all := lists.Of(file.Forms, func(f file.Form) string { return f.Extension })
		return command.Usage(fmt.Errorf("%s: extension must be one of %s", out, strings.Join(all, ", ")))
	}
	if _, err := os.Stat(out); !c.force && !errors.Is(err, fs.ErrNotExist) {
		return command.WithHint(fmt.Errorf("%s exists already", out), "--force replaces it")
	}
	spec, err := c.target.Spec(args[0])
	if err != nil {
		return err
	}

	end := show.Long(cmd.ErrOrStderr(), "converting "+spec.Name)
	a, m, err := matrix.Load(cmd.Context(), spec)
	if err == nil {
		opt := file.Writing{
			Name: m.Name, Comment: m.Name + ", written by spmvtune", Symmetric: c.symmetric,
			Pattern: m.Field == "pattern" && !slices.ContainsFunc(a.Val, func(v float64) bool { return v != 1 }),
		}
		err = files.WriteTo(out, func(w io.Writer) error { return format.Write(w, a, opt) })
	}
	end()
	if err == nil && format.Loses != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: a file %s does not hold %s\n", format.Extension, format.Loses)
	}
	return err
}

// exportFormats lists the formats for the help text.
func exportFormats() string {
	var b strings.Builder
	for _, f := range file.Forms {
		text := f.Doc
		if f.Loses != "" {
			text += "; loses " + f.Loses
		}
		fmt.Fprintf(&b, "  %-9s%s\n", f.Extension, term.Wrap(text, term.PageWidth-11, strings.Repeat(" ", 11)))
	}
	return b.String()
}

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
where they come from, their planned sizes (a few percent too many nonzeros for some generators),
the sweeps, what replaces a matrix that can't be downloaded, and whether they are here.`,
		Example: `  spmvtune matrix list
  spmvtune matrix list quickstart
  spmvtune matrix list --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: command.CompleteSweep,
		RunE:              l.Run,
	}
	l.output.Flags(cmd)
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

	return l.output.Print(cmd.OutOrStdout(), list, table(list).Print)
}

// table has everything; what a reader needs least goes first where the terminal is narrow.
func table(list []listedMatrix) term.Table {
	t := term.Table{Columns: []string{"matrix", "source", "rows", "cols", "nnz", "or", "here", "sweeps"},
		Less: []string{"sweeps", "or", "cols", "source", "here"}}
	for _, m := range list {
		rows, cols, nonzeros := any(m.Rows), any(m.Cols), any(m.NNZ)
		if m.Rows == 0 && m.Source == "suitesparse" {
			rows, cols, nonzeros = nil, nil, nil
		}
		t.Add(m.Matrix, m.sourceText(), rows, cols, nonzeros, m.twinText(), m.hereText(), strings.Join(m.Sweeps, ", "))
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
