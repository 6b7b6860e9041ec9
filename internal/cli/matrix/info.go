package matrix

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/sparse"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/trial"
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
	i.output.Paged(cmd)
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
	return matrix.ViewPattern(cmd.Context(), spec, func(a *sparse.CSR[float64], m trial.Matrix) error {
		info, err := describeMatrix(a, m)
		end()
		if err != nil {
			return err
		}
		if i.output.Data() {
			return i.output.Write(cmd.OutOrStdout(), info)
		}
		return info.print(cmd.OutOrStdout(), unicodeTerminal())
	})
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

// infoWidth is the width of the page, that of the narrowest terminals in use.
const infoWidth = 80

// unicodeTerminal reports whether the user's locale has Unicode.
func unicodeTerminal() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := strings.ToLower(os.Getenv(name)); v != "" {
			return strings.Contains(v, "utf-8") || strings.Contains(v, "utf8")
		}
	}
	return false
}

// toASCII replaces the characters of the page that are not ASCII.
var toASCII = strings.NewReplacer("×", "x", "–", "-", "−", "-", "σ", "sigma", "⋮", ":", "█", "#", "▌", "#", "▏", "|")

var trailing = regexp.MustCompile(`(?m) +$`)

// print prints the page.
func (i *matrixInfo) print(w io.Writer, unicode bool) error {
	var b strings.Builder
	line := func(label, text string) { fmt.Fprintf(&b, "%-12s %s\n", label, text) }
	line("matrix", i.Matrix)
	line("source", i.Source)
	line("values", i.Field+", "+i.Symmetry)
	f := i.Features
	line("size", fmt.Sprintf("%d rows × %d columns, %d nonzeros", f.Rows, f.Cols, f.Nonzeros))
	line("hash", i.Hash)
	if i.NonFinite > 0 {
		line("warning", show.NonFinite(i.Matrix, i.NonFinite))
	}
	if i.Odd != "" {
		line("warning", i.Odd)
	}

	b.WriteByte('\n')
	for _, g := range featureGroups(f) {
		if g.label == "locality" {
			g.items = append(g.items, fmt.Sprintf("sectors per 32 %.4g", i.SectorsPer32))
		}
		line(g.label, term.FillList(g.items, infoWidth-13, strings.Repeat(" ", 13)))
	}
	if len(i.RowLengths) > 0 {
		b.WriteByte('\n')
		printHistogram(&b, i.RowLengths)
	}

	b.WriteByte('\n')
	printFormats(&b, i.Formats)
	if i.Compression != nil {
		fmt.Fprintf(&b, "\nCSR's array of rows is %.3g%% shorter than COO's (1 − rows/nonzeros).\n", 100**i.Compression)
	}

	text := trailing.ReplaceAllString(b.String(), "")
	if !unicode {
		text = toASCII.Replace(text)
	}
	_, err := io.WriteString(w, text)
	return err
}
