package matrix

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/atomicfile"
	"spmvtune/internal/cli/command"
	"spmvtune/plots/figure"
	"spmvtune/sparse"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/trial"
)

func newMatrixSpy() *cobra.Command {
	var out string
	var target Target
	cmd := &cobra.Command{
		Use:   "spy MATRIX -o FILE",
		Short: "Draw where the nonzeros are",
		Long: `spy draws the pattern of a matrix, the origin top left: entries are counted in bins of
a pixel or a few, on a logarithmic scale of colour. The picture's format follows from
the extension: .png, .svg or .pdf.

` + TargetHelp,
		Example: `  spmvtune matrix spy bcsstk13.mtx.gz -o bcsstk13.png
  spmvtune matrix spy delaunay:points=100000 -o delaunay.pdf`,
		Args:              command.Needs("a matrix: a file, or a generator as in grid_5pt:nx=100,ny=100"),
		ValidArgsFunction: completeTarget,
		RunE: func(cmd *cobra.Command, args []string) error {
			format := strings.TrimPrefix(strings.ToLower(filepath.Ext(out)), ".")
			if !slices.Contains(command.PictureFormats, format) {
				return command.Usage(errors.New("say what to write: -o FILE.png, FILE.svg or FILE.pdf"))
			}
			spec, err := target.Spec(args[0])
			if err != nil {
				return err
			}
			return matrix.ViewPattern(cmd.Context(), spec, func(a *sparse.CSR[float64], m trial.Matrix) error {
				picture, err := figure.Spy(m.Name, a, format)
				if err != nil {
					return err
				}
				return atomicfile.Write(out, picture)
			})
		},
	}
	cmd.Flags().StringVarP(&out, "out", "o", "", "picture to write: FILE.png, FILE.svg or FILE.pdf")
	command.FlagFile(cmd, "out", command.PictureFormats...)
	target.Flags(cmd)
	return cmd
}
