package cli

import (
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/command"
	matrixcmd "spmvtune/internal/cli/matrix"
	"spmvtune/internal/job"
	"spmvtune/internal/term"
	"spmvtune/kernels"
	"spmvtune/rule"
	"spmvtune/sparse/file"
	"spmvtune/tuner/trial"
)

func newSelect() *cobra.Command {
	var ruleFile, precision, device, cache, complexMode string
	var asJSON bool
	var want rule.Wanted
	cmd := &cobra.Command{
		Use:   "select MATRIX|FEATURES",
		Short: "Name the kernel for a matrix, by the learned rule",
		Long: `select reads a matrix, computes its features, and applies a rule: it prints kernel,
block and grid, the time that a product may take, and the path through the tree that led
there. Nothing is measured. The rule is that of a run below ` + command.OutRoot + `; where there
is none, the one that comes with spmvtune, which was learned on an H100.

` + matrixcmd.TargetHelp + `
FEATURES are given as rows=1000,cols=1000,nonzeros=5000; a rule may ask for more, and then
says for which.`,
		Example: `  spmvtune select matrix.mtx
  spmvtune select matrix.mtx.gz --precision float32 --json
  spmvtune select rmat:scale=20 --rule h100
  spmvtune select rows=1000000,cols=1000000,nonzeros=5000000 --products 1
  spmvtune select matrix.mtx --rule results/a30/rule.json`,
		Args:              command.Needs("a matrix, such as a file *.mtx, or its features"),
		ValidArgsFunction: command.CompleteFile(matrixcmd.Files...),
		RunE: func(cmd *cobra.Command, args []string) error {
			if want.Products < 0 {
				return command.Usage(fmt.Errorf("--products %d: must be 0 or more", want.Products))
			}
			r, from, err := readRule(ruleFile, func(path string) string { return command.Again(cmd, append([]string{"--rule", path}, args...)...) })
			if err != nil {
				return err
			}
			keys, note, err := keysFor(r, rule.Key{Device: device, Cache: trial.Cache(cache)}, precision)
			if err != nil {
				return err
			}
			name, features, err := describeTarget(cmd.Context(), args[0], complexMode)
			if err != nil {
				return err
			}
			var chosen []selection
			for _, k := range keys {
				c, err := r.SelectFor(k, features, want)
				if err != nil {
					return err
				}
				chosen = append(chosen, newSelection(name, c, note))
			}
			if asJSON {
				return term.WriteJSON(cmd.OutOrStdout(), chosen)
			}
			return printSelection(cmd.OutOrStdout(), chosen, features, from)
		},
	}
	f := cmd.Flags()
	f.StringVar(&ruleFile, "rule", "", "rule.json of a run, or "+rule.EmbeddedName+" (default: the only one below "+command.OutRoot+", else "+rule.EmbeddedName+")")
	f.StringVar(&precision, "precision", "", "float32 or float64 (default: every precision that the rule knows)")
	f.StringVar(&device, "device", "", "device that the rule was learned on, where it knows several")
	f.StringVar(&cache, "cache", "", "warm or cold, where the rule knows both")
	f.StringVar(&complexMode, "complex", "", "real-part: take the real part of a complex file")
	f.IntVar(&want.Products, "products", 0, "products that are done with the matrix: for few, its sizes must do (default: many)")
	f.BoolVar(&want.Accurate, "accurate", false, "ask the boosted ensemble that learn makes, which gives no reasons")
	f.BoolVar(&asJSON, "json", false, "print JSON")
	command.FlagFile(cmd, "rule", "json")
	command.FlagValues(cmd, "precision", string(kernels.Float32), string(kernels.Float64))
	command.FlagValues(cmd, "cache", string(trial.Warm), string(trial.Cold))
	command.FlagValues(cmd, "complex", file.RealPart)
	return cmd
}

// selection is what `select --json` prints, one per precision.
type selection struct {
	Matrix string `json:"matrix"`
	Device string `json:"device"`
	Cache  string `json:"cache"`
	rule.Choice
	Pruned     string   `json:"pruned,omitempty"` // why the rule has a single leaf
	Validation figures  `json:"validation"`
	Warnings   []string `json:"warnings"`
}

// figures are those of a rule's validation, of what chose, without the matrices one by one.
type figures struct {
	rule.Validation
	Cases any `json:"cases,omitempty"` // hides Validation's
}

// newSelection takes a choice, with what makes it doubtful beside the rule's own warnings.
func newSelection(matrix string, c rule.Choice, notes ...string) selection {
	s := c.Selector
	warnings := []string{}
	for _, note := range append(notes, changed(c)) {
		if note != "" {
			warnings = append(warnings, note)
		}
	}
	v, f := s.Validation, c.HeldOut()
	v.Matrices, v.Mean, v.Worst, v.WorstMatrix, v.Within5 = f.Matrices, f.Mean, f.Worst, f.WorstMatrix, f.Within5
	return selection{
		Matrix: matrix, Device: s.Device, Cache: string(s.Cache), Choice: c, Pruned: s.Pruned,
		Validation: figures{Validation: v}, Warnings: append(warnings, s.Warnings...),
	}
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
	return nil, command.Usage(fmt.Errorf("unknown precision %q: it is float32 or float64", name))
}

// readRule reads the named rule, or the only one below the results folder;
// again gives the command line that names one of several.
func readRule(name string, again func(path string) string) (*rule.Rule, string, error) {
	if name == "" {
		found, err := filepath.Glob(filepath.Join(command.OutRoot, "*", job.RuleJSON))
		if err != nil {
			return nil, "", err
		}
		if len(found) == 0 {
			name = rule.EmbeddedName
		} else if name, err = command.Only(job.RuleJSON, "learned rule", again); err != nil {
			return nil, "", err
		}
	}
	r, from, err := rule.Open(name)
	if err != nil {
		return nil, "", command.WithHint(err, "spmvtune run leaves its rule in "+filepath.Join(command.OutRoot, "NAME", job.RuleJSON)+
			"; `spmvtune report DB` learns it again")
	}
	return r, from, nil
}
