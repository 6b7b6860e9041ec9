package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/sparse"
	"spmvtune/sparse/file"
	"spmvtune/tuner"
)

func newMatrix() *cobra.Command {
	cmd := &cobra.Command{
		Use:                        "matrix",
		Short:                      "Look at matrices",
		Example:                    "  spmvtune matrix info bcsstk13.mtx.gz",
		Args:                       subcommandOnly,
		SuggestionsMinimumDistance: 2,
		RunE:                       func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newMatrixInfo(), newMatrixCache())
	return cmd
}

// matrixInfo is what `matrix info --json` prints.
type matrixInfo struct {
	Matrix    string `json:"matrix"`
	Source    string `json:"source"`
	Hash      string `json:"hash"`
	Field     string `json:"field"`
	Symmetry  string `json:"symmetry"`
	NonFinite int    `json:"non_finite"`
	sparse.Features
}

func newMatrixInfo() *cobra.Command {
	var asJSON, triangle bool
	var complexMode string
	cmd := &cobra.Command{
		Use:   "info FILE",
		Short: "Read a matrix and describe its structure",
		Long: `info reads a Matrix Market file (.mtx, also gzipped) as a sweep would, and prints
its sizes and the features that rules are learned from. Symmetric,
skew-symmetric and Hermitian files are expanded.`,
		Example: `  spmvtune matrix info bcsstk13.mtx.gz
  spmvtune matrix info --json bcsstk13.mtx.gz
  spmvtune matrix info --complex real-part young1c.mtx.gz`,
		Args:              needs("a matrix: a file *.mtx or *.mtx.gz"),
		ValidArgsFunction: completeFile(matrixFiles...),
		RunE: func(cmd *cobra.Command, args []string) error {
			m, err := loadMatrix(cmd.Context(), args[0], !triangle, complexMode)
			if err != nil {
				return err
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), matrixInfo{m.Name, m.Source, m.Hash, m.Field, m.Symmetry, m.NonFinite, m.Features})
			}
			return describeMatrix(cmd.OutOrStdout(), m)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&triangle, "no-expand", false, "keep only the stored triangle of a symmetric file")
	cmd.Flags().StringVar(&complexMode, "complex", "", "real-part: take the real part of a complex file, which is refused otherwise")
	flagValues(cmd, "complex", file.RealPart)
	return cmd
}

// loadMatrix reads the file at path.
func loadMatrix(ctx context.Context, path string, expand bool, complexMode string) (tuner.Matrix, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return tuner.Matrix{}, usage(fmt.Errorf("%s is a folder: name a file *.mtx or *.mtx.gz", path))
	}
	return tuner.Describe(ctx, configs.Matrix{Name: matrixName(path), Path: path, Expand: expand, Complex: complexMode})
}

// nonFinite warns of a matrix with such values.
func nonFinite(name string, n int) string {
	return fmt.Sprintf("%s has %s not finite (NaN or infinite)", name, count(n, "value that is", "values that are"))
}

// matrixName is the name of a matrix in a file: without folder and extension.
func matrixName(path string) string {
	name, known := file.Stem(path)
	if known {
		return name
	}
	name = strings.TrimSuffix(name, ".gz")
	return strings.TrimSuffix(name, filepath.Ext(name))
}

func describeMatrix(w io.Writer, m tuner.Matrix) error {
	f := m.Features
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-12s %s\n", label, fmt.Sprintf(format, args...))
	}
	line("matrix", "%s", m.Name)
	line("source", "%s", m.Source)
	line("values", "%s, %s", m.Field, m.Symmetry)
	line("size", "%d rows × %d columns, %d nonzeros", f.Rows, f.Cols, f.Nonzeros)
	line("row length", "mean %.4g, deviation %.4g", f.RowMean, f.RowStd)
	line("", "min %d, quarter %d, median %d, three quarters %d, 90%% %d, 99%% %d, max %d",
		f.RowMin, f.RowP25, f.RowMedian, f.RowP75, f.RowP90, f.RowP99, f.RowMax)
	line("", "skewness %.4g, Gini %.4g, max over mean %.4g", f.RowSkewness, f.RowGini, f.RowMaxOverMean)
	line("long rows", "above 32: %.3g%% of the nonzeros, above 256: %.3g%%, above 1024: %.3g%%",
		100*f.ShareAbove32, 100*f.ShareAbove256, 100*f.ShareAbove1024)
	line("empty rows", "%d", f.EmptyRows)
	line("columns used", "%d", f.ColsUsed)
	line("bandwidth", "max %d, mean %.4g; profile %.0f; %.0f diagonals", f.Bandwidth, f.BandwidthMean, f.Profile, f.Diagonals)
	line("locality", "row span %.4g, column gap %.4g, neighbour rate %.4g, row similarity %.4g",
		f.RowSpanMean, f.ColGapMean, f.NeighbourRate, f.RowSimilarity)
	line("symmetry", "%.4g of the pattern", f.PatternSymmetry)
	for _, v := range []int64{4, 8} {
		csr := 4*int64(f.Rows+1) + (4+v)*int64(f.Nonzeros)
		coo := (8 + v) * int64(f.Nonzeros)
		line(fmt.Sprintf("float%d", 8*v), "CSR %s, COO %s", bytesText(csr), bytesText(coo))
	}
	line("hash", "%s", m.Hash)
	if m.NonFinite > 0 {
		line("warning", "%s", nonFinite(m.Name, m.NonFinite))
	}
	return nil
}

// bytesText prints a size with a decimal unit.
func bytesText(n int64) string {
	switch {
	case n < 1e3:
		return fmt.Sprintf("%d B", n)
	case n < 1e6:
		return fmt.Sprintf("%.3g kB", float64(n)/1e3)
	case n < 1e9:
		return fmt.Sprintf("%.3g MB", float64(n)/1e6)
	default:
		return fmt.Sprintf("%.3g GB", float64(n)/1e9)
	}
}
