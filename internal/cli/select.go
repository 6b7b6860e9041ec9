// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	matrixcmd "example.org/spmvtune/internal/cli/matrix"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/kernels/cuda"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/sparse"
	"example.org/spmvtune/sparse/file"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/hardware"
	"example.org/spmvtune/tuner/matrix"
	"example.org/spmvtune/tuner/search"
	"example.org/spmvtune/tuner/trial"
)

// selectCommand is the command select.
type selectCommand struct {
	ruleFile, precision, device, cache, complexMode string
	top                                             int
	wanted                                          rule.Wanted
	output                                          command.Output
}

func newSelect() *cobra.Command {
	var s selectCommand
	cmd := &cobra.Command{
		Use:   "select MATRIX|FEATURES",
		Short: "Choose a kernel for a matrix: what tune has measured, else what the learned rule says",
		Long: `select reads a matrix, computes its features, and applies a rule. It prints kernel,
block and grid, the expected time of a product, and the path through the tree that led
there. It measures nothing. The rule is that of the last run or, if there is none, one that
comes with spmvtune: h100 if --device names an H100, else h200. Where tune has measured the
matrix, select says what tune does, unless --rule names a rule.

` + matrixcmd.TargetHelp + `
FEATURES are given as rows=1000,cols=1000,nonzeros=5000; a rule that needs more features
names them.`,
		Example: `  spmvtune select matrix.mtx
  spmvtune select matrix.mtx.gz --precision float32 --json
  spmvtune select rows=1000000,cols=1000000,nonzeros=5000000 --products 1
  spmvtune select matrix.mtx --top 3      # what to measure, with expected times
  spmvtune select matrix.mtx --rule results/a30/rule.json`,
		Args:              command.Needs("a matrix, such as a file *.mtx, or its features"),
		ValidArgsFunction: command.CompleteFile(matrixcmd.Files...),
		RunE:              s.Run,
	}
	f := cmd.Flags()
	f.StringVar(&s.ruleFile, "rule", "", "a run, its rule.json, "+strings.Join(rule.EmbeddedNames(), " or ")+
		" (default: that of the last run, else that for --device, else "+rule.EmbeddedName+")")
	command.FlagWord(cmd, &s.precision, "precision", "precision",
		"float32 or float64 (default: those that tune has measured, else those that the rule knows)", precisions...)
	f.StringVar(&s.device, "device", "", "device that tune has measured on, or the rule was learned on")
	f.StringVar(&s.cache, "cache", "", "warm or cold, if the rule knows both")
	f.StringVar(&s.complexMode, "complex", "", "real-part: take the real part of a complex file")
	f.IntVar(&s.wanted.Products, "products", 0,
		"number of products with the matrix: for few, the rule uses its sizes alone (default: many)")
	f.IntVar(&s.top, "top", 1,
		"how many configurations to name: the choice, and what helps most where it is slow")
	s.output.Flags(cmd)
	completeRule(cmd)
	command.FlagNames(cmd, "device", cobra.ShellCompDirectiveNoFileComp, func([]string) []string {
		tuned := namesIn(cmd, []string{search.Tune}, "device")
		r, _, err := readRule(cmd, s.ruleFile, rule.EmbeddedName)
		if err != nil {
			return tuned
		}
		return append(devicesOf(r), tuned...)
	})
	command.FlagValues(cmd, "cache", cacheStates[:2]...)
	command.FlagValues(cmd, "complex", file.RealPart)
	return cmd
}

// Run applies the rule to a matrix.
func (s *selectCommand) Run(cmd *cobra.Command, args []string) error {
	if s.wanted.Products < 0 {
		return command.Usage(fmt.Errorf("--products %d: must be 0 or more", s.wanted.Products))
	}
	if s.top < 1 {
		return command.Usage(fmt.Errorf("--top %d: must be 1 or more", s.top))
	}
	named := cmp.Or(s.ruleFile, os.Getenv(command.EnvRule))
	var r *rule.Rule
	var from string
	var err error
	if named != "" { // a large matrix takes long to look at
		if r, from, err = readRule(cmd, named, ""); err != nil {
			return err
		}
	}
	end := show.Long(cmd.ErrOrStderr(), "looking at "+args[0])
	m, takes, err := describeTarget(cmd.Context(), args[0], s.complexMode)
	end()
	if err != nil {
		return err
	}
	s.wanted.Reading, s.wanted.Takes, s.wanted.Top = m.FeaturesSeconds, takes, s.top
	path := filepath.Join(command.OutRoot(), search.Tune, analysis.DatabaseFile)
	if _, err := os.Stat(path); err == nil && named == "" && s.top == 1 && m.Hash != "" { // features alone were never tuned
		if known, err := s.measured(cmd.Context(), path, &m); err != nil {
			fmt.Fprintf(cmd.ErrOrStderr(), "note: what tune has measured can't be read: %v\n", err)
		} else if len(known) > 0 {
			return printTuned(cmd.OutOrStdout(), &s.output, known, s.wanted.Products)
		}
	}

	if named == "" {
		if r, from, err = readRule(cmd, "", rule.NameFor(s.device)); err != nil {
			return err
		}
	}
	keys, note := keysFor(r, rule.Key{Device: s.device, Cache: trial.Cache(s.cache)}, s.precision)
	var chosen []selection
	for _, k := range keys {
		c, err := r.Select(k, m.Features, s.wanted)
		if err != nil {
			return err
		}
		c.Shortlist = c.Shortlist[:min(s.top, len(c.Shortlist))]
		chosen = append(chosen, newSelection(m.Name, c, s.wanted.Products, note))
	}

	if s.output.Data() {
		return s.output.Write(cmd.OutOrStdout(), chosen)
	}
	here := "" // how to do better, if there is more than features
	if m.Hash != "" {
		if named == "" && s.device == "" {
			sayHere(cmd.Context(), cmd.OutOrStdout(), m.Hash, chosen[0].Kernel)
		}
		here = fmt.Sprintf("; `%s` measures on this machine", term.Shell("spmvtune", "tune", args[0]))
	}
	printSelection(cmd.OutOrStdout(), chosen, m.Features, here, from)
	return nil
}

// sayHere says that a kernel that was chosen can't run here, for want of a GPU, and which run has measured the matrix.
func sayHere(ctx context.Context, w io.Writer, matrix, kernel string) {
	k, _ := kernels.Lookup(kernel)
	if _, err := hardware.FindGPU(ctx, 0); err == nil || k.Backend != "cuda" {
		return
	}
	term.Print(w, "This machine has no GPU: the choice is for another machine.")
	for _, run := range command.RunNames(analysis.DatabaseFile) {
		db, err := store.OpenCurrent(ctx, filepath.Join(command.OutRoot(), run, analysis.DatabaseFile))
		if err != nil {
			continue
		}
		best, _ := db.Best(ctx, store.Filter{})
		db.Close()
		if i := slices.IndexFunc(best, func(b store.Best) bool { return b.Result.Matrix == matrix }); i >= 0 {
			term.Print(w, fmt.Sprintf("On %s the run %s has measured %s as the best; `%s` says more.",
				analysis.ShortDevice(best[i].Device), run, best[i].Config, term.Shell("spmvtune", "best", run)))
			return
		}
	}
}

// measured are the answers of tune for a matrix, in each precision and cache state that is asked for and was measured.
func (s *selectCommand) measured(ctx context.Context, path string, m *trial.Matrix) ([]tuned, error) {
	db, err := store.OpenCurrent(ctx, path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	rows, err := db.Results(ctx, store.Filter{Device: s.device, Precision: kernels.Precision(s.precision),
		Cache: trial.Cache(s.cache)})
	return tunedOn(rows, m, tuning{}, s.wanted.Products), err
}

// selection is what `select --json` prints for each precision.
type selection struct {
	Matrix string `json:"matrix"`
	Device string `json:"device"`
	Cache  string `json:"cache"`
	rule.Choice
	// Pruned is why the rule has a single leaf.
	Pruned     string   `json:"pruned,omitempty"`
	Validation figures  `json:"validation"`
	Warnings   []string `json:"warnings"`
	asked      int      // number of products
}

// figures are those of a rule's validation, without the single matrices.
type figures struct {
	rule.Validation
	// Cases hides the field of Validation.
	Cases any `json:"cases,omitempty"`
}

// newSelection makes a selection of a choice for as many products as were asked for. Notes are what makes it doubtful
// besides the rule's own warnings.
func newSelection(matrix string, c rule.Choice, asked int, notes ...string) selection {
	s := c.Model
	warnings := slices.DeleteFunc(append(notes, changed(c), s.Thin(), s.Noise), func(note string) bool { return note == "" })

	v := s.Validation
	v.Figures = c.HeldOut()
	return selection{
		Matrix: matrix, Device: s.Device, Cache: string(s.Cache), Choice: c, Pruned: s.Pruned,
		Validation: figures{Validation: v}, Warnings: warnings, asked: asked,
	}
}

// readRule reads the rule of this name: one that comes with the program, or that of a run. Without a name it
// is the rule of the last run or, if there is none, the embedded one of the name unnamed.
func readRule(cmd *cobra.Command, name, unnamed string) (*rule.Rule, string, error) {
	if name == "" && len(command.RunNames(analysis.RuleJSON)) == 0 {
		name = unnamed
	}
	if !rule.IsEmbedded(name) {
		var err error
		if name, err = command.FileOfRun(cmd.ErrOrStderr(), name, analysis.RuleJSON); err != nil {
			return nil, "", fmt.Errorf("%w; the program has %s", withoutRule(err), strings.Join(rule.EmbeddedNames(), " or "))
		}
	}
	r, from, err := rule.Open(name)
	if err != nil {
		return nil, "", withoutRule(err)
	}
	return r, from, nil
}

// completeRule completes --rule with the runs that have one, the rules that come with the program, and files.
func completeRule(cmd *cobra.Command) {
	command.FlagNames(cmd, "rule", cobra.ShellCompDirectiveDefault, func([]string) []string {
		return append(command.RunNames(analysis.RuleJSON), rule.EmbeddedNames()...)
	})
}

// withoutRule says where rules come from.
func withoutRule(err error) error {
	if _, hinted := errors.AsType[*command.Error](err); hinted {
		return err
	}
	return command.WithHint(err, "spmvtune run leaves its rule in "+filepath.Join(command.OutRoot(), "NAME", analysis.RuleJSON)+
		"; `spmvtune report RUN` learns it again")
}

// describeTarget returns the matrix that an argument of select names, and what is legal on it: one that is read or
// generated, or features alone, which have no hash, took no known time and don't tell.
func describeTarget(ctx context.Context, text, complexMode string) (
	m trial.Matrix, takes func(kernels.Config) bool, err error,
) {
	if first, _, given := strings.Cut(text, "="); given && !strings.ContainsAny(first, ":(/.") {
		if _, err := os.Lstat(text); err != nil {
			m.Name = "the matrix of these features"
			m.Features, err = givenFeatures(text)
			return m, nil, command.Usage(err)
		}
	}

	target := matrixcmd.Target{ComplexMode: complexMode}
	spec, err := target.Spec(text)
	if err != nil {
		return m, nil, err
	}
	m, err = matrix.Describe(ctx, spec, true)
	load := sync.OnceValue(func() *sparse.CSR[float64] {
		a, _, _ := matrix.Load(ctx, spec) // or nil
		return a
	})
	takes = func(c kernels.Config) bool { return load() != nil && cuda.Legal(load(), c) }
	return m, takes, err
}

// givenFeatures reads features as in rows=1000,cols=1000,nonzeros=5000,row_max=12. All others
// are unknown.
func givenFeatures(text string) (sparse.Features, error) {
	f := sparse.UnknownFeatures()
	given := map[string]bool{}
	for _, field := range strings.Split(text, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		x, err := strconv.ParseFloat(value, 64)
		if err != nil {
			return f, fmt.Errorf("%q must be NAME=NUMBER, with commas between several", field)
		}
		if err := f.Set(name, x); err != nil {
			if near := configs.Nearest(name, sparse.FeatureNames()); near != "" && near != name {
				err = fmt.Errorf("%w: did you mean %s?", err, near)
			}
			return f, err
		}
		if given[name] {
			return f, fmt.Errorf("%s is given twice", name)
		}
		given[name] = true
	}

	if f.Rows < 0 || f.Cols < 0 || f.Nonzeros < 0 {
		return f, fmt.Errorf("%s: rows, cols and nonzeros are needed", text)
	}
	if float64(f.Nonzeros) > float64(f.Rows)*float64(f.Cols) {
		return f, fmt.Errorf("%d rows × %d columns cannot hold %d nonzeros", f.Rows, f.Cols, f.Nonzeros)
	}
	if f.RowMean != f.RowMean {
		f.RowMean = float64(f.Nonzeros) / float64(max(1, f.Rows))
	}
	return f, nil
}

// devicesOf are the devices that a rule was learned on.
func devicesOf(r *rule.Rule) []string {
	return lists.Distinct(r.Models, func(m rule.Model) string { return m.Device })
}

// keysFor lists the keys to ask a rule for: the named precision and cache state, or each that
// the rule has. note says if the rule is of another device than the named one.
func keysFor(r *rule.Rule, asked rule.Key, precision string) (keys []rule.Key, note string) {
	devices := devicesOf(r)
	if asked.Device != "" && len(devices) == 1 {
		if !strings.Contains(strings.ToLower(devices[0]), strings.ToLower(asked.Device)) {
			note = fmt.Sprintf("the rule was learned on %s; on %s another kernel may be faster, and times will differ: "+
				"learn a rule there", devices[0], asked.Device)
		}
		asked.Device = ""
	}

	for _, name := range precisions {
		if precision != "" && precision != name {
			continue
		}
		asked.Precision = kernels.Precision(name)
		for i := range r.Models {
			k := r.Models[i].Key
			k.Device = asked.Device
			if k.Precision == asked.Precision && (asked.Cache == "" || k.Cache == asked.Cache) &&
				!slices.Contains(keys, k) {
				keys = append(keys, k)
			}
		}
	}

	if len(keys) == 0 {
		keys = []rule.Key{asked} // asking says what the rule has instead
	}
	return keys, note
}
