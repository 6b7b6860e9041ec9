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
	"spmvtune/internal/cli/command"
	"spmvtune/internal/cli/show"
	"spmvtune/internal/term"
	"spmvtune/sparse/generate"
	"spmvtune/tuner"
	"spmvtune/tuner/matrix"
)

// listedMatrix is an element of what `matrix list --json` prints.
type listedMatrix struct {
	Matrix string   `json:"matrix"`
	Source string   `json:"source"`         // generate, path or suitesparse
	Spec   string   `json:"spec"`           // the generator with its arguments, the path, or Group/Name
	Twin   string   `json:"twin,omitempty"` // the generator of what is measured where Group/Name can't be downloaded
	Rows   int      `json:"rows"`           // 0, as the next two, where it is not downloaded and has no twin
	Cols   int      `json:"cols"`
	NNZ    int      `json:"nnz"` // as planned: see generate.Size
	Sweeps []string `json:"sweeps"`
	Cached bool     `json:"cached"`
	Here   bool     `json:"downloaded"` // Group/Name
}

func newMatrixList() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "list [SWEEP]",
		Short: "List the matrices of the shipped sweeps, or of one sweep",
		Long: `list tells the matrices that the shipped sweeps use, or those of one sweep, which may
be a file: where they come from, their sizes as planned (nothing is read or made; some
generators draw entries twice, so that nonzeros may be a few per cent fewer), the
sweeps, what stands in for a matrix that can't be downloaded, and whether they are here:
in the cache, or as a file that was downloaded.`,
		Example: `  spmvtune matrix list
  spmvtune matrix list quickstart
  spmvtune matrix list --json`,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: command.CompleteSweep,
		RunE: func(cmd *cobra.Command, args []string) error {
			sweeps := configs.Shipped()
			if len(args) > 0 {
				sweeps = args
			}
			list, err := listMatrices(cmd.Context(), sweeps)
			if err != nil {
				return err
			}
			if asJSON {
				return term.WriteJSON(cmd.OutOrStdout(), list)
			}
			g := term.Table{Columns: []string{"matrix", "source", "rows", "cols", "nnz", "or", "here", "sweeps"}}
			for _, m := range list {
				sizes := []any{m.Rows, m.Cols, m.NNZ}
				if m.Rows == 0 && m.Source == "suitesparse" {
					sizes = []any{nil, nil, nil}
				}
				g.Rows = append(g.Rows, slices.Concat([]any{m.Matrix, m.sourceText()}, sizes, []any{m.twinText(), m.hereText(), strings.Join(m.Sweeps, ", ")}))
			}
			return g.Print(cmd.OutOrStdout())
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

// sourceText is the generator's name, or the file's: the arguments are in the JSON.
func (m listedMatrix) sourceText() string {
	if name, _, ok := strings.Cut(m.Spec, "("); ok && m.Source == "generate" {
		return name
	}
	if m.Source == "suitesparse" {
		return m.Spec
	}
	return filepath.Base(m.Spec)
}

// twinText is the generator of the twin, with its scale where it is smaller.
func (m listedMatrix) twinText() string {
	name, _, _ := strings.Cut(m.Twin, "(")
	if like, twin := tuner.LikenessOf(m.Twin); twin && like.Scale != 1 {
		name += fmt.Sprintf(" at scale %g", like.Scale)
	}
	return name
}

// hereText says how much of the work of getting the matrix is done.
func (m listedMatrix) hereText() string {
	switch {
	case m.Cached:
		return "cached"
	case m.Here:
		return "downloaded"
	}
	return ""
}

// listMatrices lists the matrices of some sweeps, each once, by name. Matrices that
// have a name but no content in common are different ones.
func listMatrices(ctx context.Context, sweeps []string) ([]listedMatrix, error) {
	var list []listedMatrix
	at := map[[3]string]int{} // by name, spec and twin
	settler, err := show.NewResolver(false, nil)
	if err != nil {
		return nil, err
	}
	for _, name := range sweeps {
		sweep, err := configs.Load(name)
		if err != nil {
			return nil, err
		}
		for _, spec := range sweep.Matrices {
			m := listedMatrix{Matrix: spec.Name, Source: "path", Spec: spec.Path}
			if spec.HasTwin() {
				m.Twin = generate.Spec(spec.Generate, spec.Args)
			}
			spec = settler.Foresee(spec)
			m.Here = spec.SuiteSparse != "" && spec.Path != ""
			switch {
			case spec.SuiteSparse != "":
				m.Source, m.Spec = "suitesparse", spec.SuiteSparse
			case spec.Generate != "":
				m.Source, m.Spec = "generate", generate.Spec(spec.Generate, spec.Args)
			}
			key := [3]string{m.Matrix, m.Spec, m.Twin}
			i, known := at[key]
			if !known {
				size, err := matrix.SizeOf(spec)
				if err != nil {
					return nil, fmt.Errorf("sweep %s: %w", name, err)
				}
				m.Rows, m.Cols, m.NNZ = size.Rows, size.Cols, size.Nonzeros
				m.Cached = matrix.IsKept(ctx, spec)
				i = len(list)
				at[key] = i
				list = append(list, m)
			}
			if !slices.Contains(list[i].Sweeps, sweep.Name) {
				list[i].Sweeps = append(list[i].Sweeps, sweep.Name)
			}
		}
	}
	slices.SortFunc(list, func(a, b listedMatrix) int {
		return cmp.Or(cmp.Compare(a.Matrix, b.Matrix), cmp.Compare(a.Spec, b.Spec), cmp.Compare(a.Twin, b.Twin))
	})
	return list, nil
}
