package matrix

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/base/files"
	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/sparse"
	"spmvtune/sparse/file"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/trial"
)

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
		return command.Usage(fmt.Errorf("%s: extension must be one of %s", out, strings.Join(exportExtensions(), ", ")))
	}
	if _, err := os.Stat(out); !c.force && !errors.Is(err, fs.ErrNotExist) {
		return command.WithHint(fmt.Errorf("%s exists already", out), "--force replaces it")
	}
	spec, err := c.target.Spec(args[0])
	if err != nil {
		return err
	}

	end := show.Long(cmd.ErrOrStderr(), "converting "+spec.Name)
	err = matrix.View(cmd.Context(), spec, func(a *sparse.CSR[float64], m trial.Matrix) error {
		opt := file.Writing{
			Name: m.Name, Comment: m.Name + ", written by spmvtune", Symmetric: c.symmetric,
			Pattern: m.Field == "pattern" && !slices.ContainsFunc(a.Val, func(v float64) bool { return v != 1 }),
		}
		return files.WriteTo(out, func(w io.Writer) error { return format.Write(w, a, opt) })
	})
	end()
	if err == nil && format.Loses != "" {
		fmt.Fprintf(cmd.ErrOrStderr(), "note: a file %s does not hold %s\n", format.Extension, format.Loses)
	}
	return err
}

func exportExtensions() []string {
	var list []string
	for _, f := range file.Forms {
		list = append(list, f.Extension)
	}
	return list
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
