package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/sparse"
	"spmvtune/tuner"
)

func newSelect() *cobra.Command {
	var file, precision, device, cache, complexMode string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "select FILE",
		Short: "Name the kernel for a matrix, by the learned rule",
		Long: `select reads a matrix, computes its features, and applies the rule that a run has
learned: it prints kernel, block and grid, and the path through the tree that
led there. Nothing is measured.`,
		Example: `  spmvtune select matrix.mtx
  spmvtune select matrix.mtx.gz --precision float32 --json
  spmvtune select matrix.mtx --rule results/a30/rule.json`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			r, from, err := readRule(file)
			if err != nil {
				return err
			}
			precisions, err := choosePrecisions(precision)
			if err != nil {
				return err
			}
			spec := configs.Matrix{Name: matrixName(args[0]), Path: args[0], Expand: true, Complex: complexMode}
			_, m, err := tuner.Load(cmd.Context(), spec)
			if err != nil {
				return err
			}
			var chosen []selection
			var missing error
			for _, p := range precisions {
				c, err := r.Select(rule.Key{Device: device, Precision: p, Cache: cache}, m.Features)
				if err != nil {
					missing = err
					continue
				}
				chosen = append(chosen, selection{m.Name, c.Selector.Device, c.Selector.Cache, c})
			}
			if len(chosen) == 0 || missing != nil && precision != "" {
				return missing
			}
			if asJSON {
				return writeJSON(cmd.OutOrStdout(), chosen)
			}
			return printSelection(cmd.OutOrStdout(), chosen, m.Features, from)
		},
	}
	f := cmd.Flags()
	f.StringVar(&file, "rule", "", "rule.json of a run (default: the only one below "+outRoot+")")
	f.StringVar(&precision, "precision", "", "float32 or float64 (default: every precision that the rule knows)")
	f.StringVar(&device, "device", "", "device that the rule was learned on, where it knows several")
	f.StringVar(&cache, "cache", "", "warm or cold, where the rule knows both")
	f.StringVar(&complexMode, "complex", "", "real-part: take the real part of a complex file")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	cobra.CheckErr(cmd.RegisterFlagCompletionFunc("precision",
		cobra.FixedCompletions([]string{"float32", "float64"}, cobra.ShellCompDirectiveNoFileComp)))
	return cmd
}

// selection is what `select --json` prints, one per precision.
type selection struct {
	Matrix string `json:"matrix"`
	Device string `json:"device"`
	Cache  string `json:"cache"`
	rule.Choice
}

func choosePrecisions(name string) ([]kernels.Precision, error) {
	all := []kernels.Precision{kernels.Float32, kernels.Float64}
	for _, p := range all {
		if name == string(p) {
			return []kernels.Precision{p}, nil
		}
	}
	if name == "" {
		return all, nil
	}
	return nil, usage(fmt.Errorf("unknown precision %q: it is float32 or float64", name))
}

// readRule reads the named rule, or the only one below the results folder.
func readRule(name string) (*rule.Rule, string, error) {
	if name == "" {
		found, err := filepath.Glob(filepath.Join(outRoot, "*", ruleJSON))
		if err != nil {
			return nil, "", err
		}
		switch len(found) {
		case 0:
			return nil, "", withHint(errors.New("no learned rule here"),
				"spmvtune run quickstart learns one; or name one with --rule")
		case 1:
			name = found[0]
		default:
			return nil, "", &exitError{exitUsage, fmt.Errorf("several rules here: %s", strings.Join(found, ", ")), "name one with --rule"}
		}
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, "", err
	}
	defer f.Close()
	r, err := rule.Read(f)
	if err != nil {
		return nil, "", fmt.Errorf("reading %s: %w", name, err)
	}
	return r, name, nil
}

func printSelection(w io.Writer, chosen []selection, f sparse.Features, from string) error {
	fmt.Fprintf(w, "%s: %d rows × %d columns, %d nonzeros, %.3g in a row\n", chosen[0].Matrix, f.Rows, f.Cols, f.Nonzeros, f.RowMean)
	for _, c := range chosen {
		fmt.Fprintf(w, "\n%s\n", c.Config)
		for _, step := range c.Path {
			fmt.Fprintf(w, "  because %s\n", step)
		}
		if len(c.Path) == 0 {
			fmt.Fprintln(w, "  whatever the matrix: the rule has a single leaf")
		}
		fmt.Fprintf(w, "  learned from %s on %s, %s\n", strings.Join(c.Matrices, ", "), c.Device, c.Cache)
		if v := c.Selector.Validation; v.Matrices > 1 {
			fmt.Fprintf(w, "  on matrices held out, the rule reaches %.0f%% of the best on average, %.0f%% at worst\n", 100*v.Mean, 100*v.Worst)
		}
		for _, warning := range c.Selector.Warnings {
			fmt.Fprintf(w, "  note: %s\n", warning)
		}
	}
	_, err := fmt.Fprintf(w, "\nrule: %s\n", from)
	return err
}
