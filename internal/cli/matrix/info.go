// SPDX-License-Identifier: Apache-2.0

package matrix

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/plots/figure"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/tuner/matrix"
	"example.org/spmvtune/tuner/trial"
)

// matrixInfo is what `matrix info --json` prints.
type matrixInfo struct {
	Matrix    string `json:"matrix"`
	Source    string `json:"source"`
	Hash      string `json:"hash"`
	Field     string `json:"field"`
	Symmetry  string `json:"symmetry"`
	NonFinite int    `json:"non_finite"`
	Odd       string `json:"odd,omitempty"`
	sparse.Features
	// SectorsPer32 is how many sectors of 32 bytes of x in float32 32 consecutive entries touch.
	SectorsPer32 float64 `json:"sectors_per_32"`
	// Compression is the fraction by which CSR's array of rows is shorter than COO's:
	// 1 − rows/nonzeros. It is absent without nonzeros.
	Compression *float64           `json:"compression,omitempty"`
	Formats     []formatSize       `json:"formats"`
	RowLengths  []sparse.LengthBin `json:"row_lengths"`
}

// infoCommand is the command matrix info.
type infoCommand struct {
	output command.Output
	target Target
}

func newMatrixInfo() *cobra.Command {
	var i infoCommand
	cmd := &cobra.Command{
		Use:   "info MATRIX",
		Short: "Describe a matrix on a page: sizes, row lengths, features, memory",
		Long: `info prints the sizes of a matrix, a histogram of its row lengths, the features that
rules learn from, and the memory that it takes in each format. Symmetric,
skew-symmetric and Hermitian files are expanded.

` + TargetHelp,
		Example: `  spmvtune matrix info bcsstk13.mtx.gz
  spmvtune matrix info --json bcsstk13.mtx.gz
  spmvtune matrix info rmat:scale=16,edge_factor=8
  spmvtune matrix info --complex real-part young1c.mtx.gz`,
		Args:              command.Needs("a matrix: a file, or a generator as in grid_5pt:nx=100,ny=100"),
		ValidArgsFunction: completeTarget,
		RunE:              i.Run,
	}
	i.output.Flags(cmd)
	i.target.Flags(cmd)
	return cmd
}

// Run describes a matrix.
func (i *infoCommand) Run(cmd *cobra.Command, args []string) error {
	spec, err := i.target.Spec(args[0])
	if err != nil {
		return err
	}
	end := show.Long(cmd.ErrOrStderr(), "loading "+spec.Name)
	defer end()
	a, m, err := matrix.Pattern(cmd.Context(), spec)
	if err != nil {
		return err
	}
	info, err := describeMatrix(a, m)
	end()
	if err != nil {
		return err
	}
	return i.output.Print(cmd.OutOrStdout(), info, info.print)
}

func describeMatrix(a *sparse.CSR[float64], m trial.Matrix) (*matrixInfo, error) {
	formats, err := formatSizes(a)
	if err != nil {
		return nil, err
	}
	info := &matrixInfo{
		Matrix: m.Name, Source: m.Source, Hash: m.Hash, Field: m.Field, Symmetry: m.Symmetry, NonFinite: m.NonFinite,
		Odd:      m.Odd,
		Features: m.Features, SectorsPer32: sparse.SectorsPer32(a), Formats: formats, RowLengths: sparse.RowLengths(a),
	}

	if n := a.NNZ(); n > 0 {
		c := 1 - float64(a.Rows)/float64(n)
		info.Compression = &c
	}

	return info, nil
}

// print prints the page.
func (i *matrixInfo) print(out io.Writer) {
	w := &term.Page{Width: term.PageWidth}
	line := func(label, text string) { fmt.Fprintf(w, "%-12s %s\n", label, text) }
	line("matrix", i.Matrix)
	line("source", i.Source)
	line("values", i.Field+", "+i.Symmetry)
	f := i.Features
	line("size", fmt.Sprintf("%s rows × %s columns, %s", term.Grouped(f.Rows), term.Grouped(f.Cols),
		term.Count(f.Nonzeros, "nonzero", "nonzeros")))
	line("hash", i.Hash)
	if i.NonFinite > 0 {
		line("warning", show.NonFinite(i.Matrix, i.NonFinite))
	}
	if i.Odd != "" {
		line("warning", i.Odd)
	}

	fmt.Fprintln(w)
	for _, g := range featureGroups(f) {
		if g.label == "locality" {
			g.names = append(g.names, fmt.Sprintf("sectors per 32 %.4g", i.SectorsPer32))
		}
		line(g.label, term.FillList(g.names, term.PageWidth-13, strings.Repeat(" ", 13)))
	}
	tables := []term.Table{formatTable(i.Formats)}
	if len(i.RowLengths) > 0 {
		tables = slices.Insert(tables, 0, histogram(i.RowLengths))
	}
	for _, t := range tables {
		fmt.Fprintln(w)
		t.Print(w)
	}
	if i.Compression != nil {
		fmt.Fprintf(w, "\nCSR's array of rows is %.3g%% shorter than COO's (1 − rows/nonzeros).\n", 100**i.Compression)
	}

	w.WriteTo(out)
}

// A featureGroup is a line of the page of `matrix info`: the names of features, in the end with their values.
type featureGroup struct {
	label, prefix string
	names         []string
}

// featureTable groups features by their names in JSON. The prefix is not printed, because the
// label says it. Features without a group come last.
var featureTable = []featureGroup{
	{"row length", "row_", []string{"row_mean", "row_std", "row_min", "row_p25", "row_median", "row_p75", "row_p90",
		"row_p99", "row_max", "row_skewness", "row_gini", "row_max_over_mean"}},
	{"long rows", "", []string{"share_above_32", "share_above_256", "share_above_1024"}},
	{"empty rows", "empty_rows", []string{"empty_rows"}},
	{"columns", "cols_", []string{"cols_used"}},
	{"bandwidth", "bandwidth", []string{"bandwidth", "bandwidth_mean", "profile", "diagonals"}},
	{"locality", "", []string{"row_span_mean", "col_gap_mean", "neighbour_rate", "row_similarity"}},
	{"symmetry", "", []string{"pattern_symmetry"}},
}

// featureGroups returns the features of f for people, without the sizes.
func featureGroups(f sparse.Features) []featureGroup {
	names, values := sparse.FeatureNames(), f.Values()
	rest := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		return slices.Contains([]string{"rows", "cols", "nonzeros"}, name) ||
			slices.ContainsFunc(featureTable, func(r featureGroup) bool { return slices.Contains(r.names, name) })
	})

	var groups []featureGroup
	for _, t := range append(slices.Clone(featureTable), featureGroup{"others", "", rest}) {
		g := featureGroup{label: t.label}
		for _, name := range t.names {
			words := strings.ReplaceAll(strings.TrimPrefix(name, t.prefix), "_", " ")
			value := values[slices.Index(names, name)]
			text := strconv.FormatFloat(value, 'g', 4, 64)
			if value == math.Trunc(value) {
				text = strconv.FormatFloat(value, 'f', -1, 64)
			}
			g.names = append(g.names, strings.TrimSpace(words+" "+text))
		}
		if len(g.names) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

// histogram has a line for each bin of row lengths: how many rows, their share with a bar, and the share of the
// nonzeros that they hold, which sets a few giant rows apart from a few empty ones.
func histogram(bins []sparse.LengthBin) term.Table {
	var rows, nonzeros, most int
	for _, b := range bins {
		rows, nonzeros, most = rows+b.Rows, nonzeros+b.Nonzeros, max(most, b.Rows)
	}

	t := term.Table{Columns: []string{"row length", "rows", "share", "", "of nonzeros"}}
	for i, b := range bins {
		length := fmt.Sprintf("%d–%d", b.From, b.To)
		if b.From == b.To {
			length = strconv.Itoa(b.From)
		}
		switch {
		case b.Rows > 0:
			t.Add(term.Quantity(length), b.Rows, percent(b.Rows, rows), bar(b.Rows, most), percent(b.Nonzeros, nonzeros))
		case bins[i-1].Rows > 0: // a line for all empty bins of a run
			t.Add(term.Quantity("⋮"), nil, nil, "", nil)
		}
	}
	return t
}

// percent is a share. It never rounds to nothing or to everything.
func percent(n, of int) term.Quantity {
	x := float64(n) / float64(max(of, 1))
	if x > 0 && x < 0.0005 {
		return "<0.1%"
	}
	return term.Quantity(term.Percent(x))
}

// barWidth is the width of the bar of the most.
const barWidth = 34

// bar is a bar of n out of most, to half a column. It is never empty.
func bar(n, most int) string {
	halves := int(math.Round(2 * barWidth * float64(n) / float64(most)))
	if halves == 0 {
		return "▏"
	}
	return strings.Repeat("█", halves/2) + strings.Repeat("▌", halves%2)
}

// A formatSize is the memory of a matrix in a format of the catalogue, in bytes.
type formatSize struct {
	Format string `json:"format"`
	// Chunk is the number of rows in a chunk of SELL.
	Chunk int `json:"chunk,omitempty"`
	// Sigma is the number of rows of SELL that are sorted together.
	Sigma int `json:"sigma,omitempty"`
	// Entries include padding.
	Entries int   `json:"entries"`
	Float32 int64 `json:"float32"`
	Float64 int64 `json:"float64"`
	name    string
}

// sellChunk is the height of the chunks of the SELL formats shown, the width of a warp. They are
// unsorted, and sorted as the kernels do by default.
const sellChunk = 32

var sellSigmas = []int{1, 1024}

// formatSizes computes the sizes without building anything: the arrays of 32-bit indices and of
// values; for SELL also padding, the order of rows and the 64-bit offsets of chunks.
func formatSizes(a *sparse.CSR[float64]) ([]formatSize, error) {
	rows, n := int64(a.Rows), int64(a.NNZ())
	of := func(name string, format kernels.Format, indices, values int64) formatSize {
		return formatSize{
			Format: string(format), Entries: int(values), name: name,
			Float32: 4*indices + 4*values, Float64: 4*indices + 8*values,
		}
	}

	list := []formatSize{of("COO", kernels.COO, 2*n, n), of("CSR", kernels.CSR, n+rows+1, n)}
	for _, sigma := range sellSigmas {
		entries, err := sparse.SELLEntries(a, sellChunk, sigma)
		if err != nil {
			return nil, err
		}
		chunks := (rows + sellChunk - 1) / sellChunk
		s := of(fmt.Sprintf("SELL-%d-%d", sellChunk, sigma), kernels.SELL, int64(entries)+rows+2*(chunks+1),
			int64(entries))
		s.Chunk, s.Sigma = sellChunk, sigma
		list = append(list, s)
	}

	return list, nil
}

// formatTable has a line for each format, with its size as a share of COO's.
func formatTable(list []formatSize) term.Table {
	t := term.Table{Columns: []string{"memory", "float32", "of COO", "float64", "of COO", "padding of nonzeros"}}
	coo := list[0]
	of := func(n, coo int64) any {
		if coo == 0 {
			return nil
		}
		return term.Quantity(term.Digits(100*float64(n)/float64(coo)) + "%")
	}
	for _, s := range list {
		var padding any
		if s.Chunk > 0 {
			padding = of(int64(s.Entries-coo.Entries), int64(coo.Entries))
		}
		t.Add(s.name, term.Quantity(term.Bytes(s.Float32)), of(s.Float32, coo.Float32),
			term.Quantity(term.Bytes(s.Float64)), of(s.Float64, coo.Float64), padding)
	}
	return t
}

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
	command.FlagFile(cmd, "out", canvas.Formats...)
	s.target.Flags(cmd)
	return cmd
}

// Run draws a matrix.
func (s *spyCommand) Run(cmd *cobra.Command, args []string) error {
	format := strings.TrimPrefix(strings.ToLower(filepath.Ext(s.out)), ".")
	if !slices.Contains(canvas.Formats, format) {
		return command.Usage(errors.New("name a picture to write: -o FILE.png, FILE.svg or FILE.pdf"))
	}
	spec, err := s.target.Spec(args[0])
	if err != nil {
		return err
	}

	defer show.Long(cmd.ErrOrStderr(), "loading "+spec.Name)()
	a, m, err := matrix.Pattern(cmd.Context(), spec)
	if err != nil {
		return err
	}
	picture, err := figure.Spy(m.Name, a, format)
	if err != nil {
		return err
	}
	return files.Write(s.out, picture)
}
