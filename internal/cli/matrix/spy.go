package matrix

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/base/files"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/plots/figure"
	"spmvtune/sparse"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/trial"
)

// spyCommand is the command matrix spy.
type spyCommand struct {
	out    string
	target Target
}

func newMatrixSpy() *cobra.Command {
	var s spyCommand
	cmd := &cobra.Command{
		Use:   "spy MATRIX -o FILE",
		Short: "Draw where the nonzeros are",
		Long: `spy draws the pattern of a matrix with the origin at the top left. It counts entries in
bins of a pixel or a few, on a logarithmic colour scale. The extension chooses the format:
.png, .svg or .pdf.

` + TargetHelp,
		Example: `  spmvtune matrix spy bcsstk13.mtx.gz -o bcsstk13.png
  spmvtune matrix spy delaunay:points=100000 -o delaunay.pdf`,
		Args:              command.Needs("a matrix: a file, or a generator as in grid_5pt:nx=100,ny=100"),
		ValidArgsFunction: completeTarget,
		RunE:              s.Run,
	}
	cmd.Flags().StringVarP(&s.out, "out", "o", "", "picture to write: FILE.png, FILE.svg or FILE.pdf")
	command.FlagFile(cmd, "out", command.PictureFormats...)
	s.target.Flags(cmd)
	return cmd
}

// Run draws a matrix.
func (s *spyCommand) Run(cmd *cobra.Command, args []string) error {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(s.out)), ".")
	if !slices.Contains(command.PictureFormats, format) {
		return command.Usage(errors.New("name a picture to write: -o FILE.png, FILE.svg or FILE.pdf"))
	}
	spec, err := s.target.Spec(args[0])
	if err != nil {
		return err
	}

	defer show.Long(cmd.ErrOrStderr(), "loading "+spec.Name)()
	return matrix.ViewPattern(cmd.Context(), spec, func(a *sparse.CSR[float64], m trial.Matrix) error {
		picture, err := figure.Spy(m.Name, a, format)
		if err != nil {
			return err
		}
		return files.Write(s.out, picture)
	})
}
