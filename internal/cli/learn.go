// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/rule"
	"example.org/spmvtune/rule/code"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner/search"
)

// learnCommand is the command learn.
type learnCommand struct {
	outs             []string
	device, ruleFile string
	evaluateOn       string // database
	saveTraining     string // file to write
	evaluate         bool
	output           command.Output
	options          rule.Options
}

func newLearn() *cobra.Command {
	l := learnCommand{options: rule.DefaultOptions}
	l.options.Ensemble = true
	cmd := &cobra.Command{
		Use:   "learn [RUN...]",
		Short: "Learn a rule from databases, and export it",
		Long: `learn learns from the trials of one or more databases which kernel to use for a matrix
that was never measured. It reports how the rule does by leave-one-class-out validation, and on
classes that are kept for a final test: those that the sweeps name (test in
[learn]) or --test. Beside it stand its tree alone, the best single configuration and kernel,
cuSPARSE, and the papers' own rule. The extension of -o says in which form it writes
the rule. "learn tune" adds what was tuned on an H200 to all that taught the rule h200.

` + ruleFormHelp() + `

--evaluate prints more, as Markdown: after how many products the features have paid for
themselves, how far the expected times can be trusted, and on which matrices the rule fails.
With --rule it prints what that rule says of itself: its figures, by class, and its failures.

` + command.RunHelp,
		Example: `  spmvtune learn results.db
  spmvtune learn a.db b.db -o rule.json -o rule.h
  spmvtune learn --rule h100 -o rule.h      # the embedded rule, for a C program
  spmvtune learn corpus.db --evaluate > rule.md
  spmvtune learn --rule h100 --evaluate     # the figures of the embedded rule
  spmvtune learn --rule h100 --evaluate-on a30.db # how the rule does on another device
  spmvtune learn corpus.db --without sell_local,csr_lanes --evaluate # before there were these`,
		ValidArgsFunction: command.CompleteRuns,
		RunE:              l.Run,
	}
	f := cmd.Flags()
	f.StringArrayVarP(&l.outs, "out", "o", nil, "file to write; may be repeated (default: print the text)")
	f.StringVar(&l.device, "device", "", "learn from this device only; with --rule, evaluate on it")
	f.StringVar(&l.ruleFile, "rule", "",
		"export an existing rule instead of learning one: a rule.json, or "+strings.Join(rule.EmbeddedNames(), " or ")+
			" for one that comes with spmvtune")
	f.StringVar(&l.evaluateOn, "evaluate-on", "",
		"another database, or what --save-training wrote: say how the rule does on its matrices that taught it nothing")
	f.StringSliceVar(&l.options.Test, "test", nil,
		"classes to keep for the final test, instead of those that the sweeps name")
	f.StringSliceVar(&l.options.Without, "without", nil,
		"exclude these kernels from choices, keep them in the oracle: what a rule loses that does not know them")
	f.IntVar(&l.options.Products, "products", 0,
		"amortize preparation over this many products (default: ignore preparation)")
	f.IntVar(&l.options.MaxDepth, "depth", l.options.MaxDepth, "largest number of tests before a choice")
	f.BoolVar(&l.options.Ensemble, "ensemble", l.options.Ensemble,
		"also learn a boosted ensemble, which chooses better than the tree")
	f.BoolVar(&l.evaluate, "evaluate", false, "print when features pay, how far times can be trusted, and what the rule misses")
	f.StringVar(&l.saveTraining, "save-training", "", "only write what a rule would be learned from, without samples: "+
		"a file NAME"+trainingSuffix+", which learn takes in place of a database")
	l.output.Flags(cmd)
	cmd.MarkFlagsMutuallyExclusive("rule", "without")
	cmd.MarkFlagsMutuallyExclusive("evaluate-on", "out")
	cmd.MarkFlagsMutuallyExclusive("evaluate-on", "evaluate")
	command.FlagFile(cmd, "out", ruleExtensions()...)
	completeNames(cmd, "device")
	completeRule(cmd)
	command.FlagFile(cmd, "evaluate-on", "db")
	return cmd
}

// Run learns a rule, or reads one, and exports it.
func (l *learnCommand) Run(cmd *cobra.Command, args []string) error {
	for _, out := range l.outs {
		if _, err := ruleFormOf(out); err != nil {
			return err
		}
	}

	if l.ruleFile != "" {
		return l.export(cmd, args)
	}
	if err := l.options.Check(); err != nil {
		return command.Usage(fmt.Errorf("--products or --depth: %w", err))
	}
	seen, test, err := observedIn(cmd, args, l.device)
	if err != nil {
		return err
	}
	if l.saveTraining != "" {
		return files.WriteTo(l.saveTraining, func(w io.Writer) error { return rule.SaveTraining(w, seen, test) })
	}
	if !cmd.Flags().Changed("test") {
		l.options.Test = test
	} else if err := knownAll("test", "class", l.options.Test, rule.Distinct(seen, func(o rule.Observation) string {
		return o.Class
	})); err != nil {
		return command.UsageHint(err, `put a class whose name has a comma in quotes: --test '"random, long rows"'`)
	}
	if err := knownAll("without", "kernel", l.options.Without, rule.Distinct(seen, func(o rule.Observation) string {
		return o.Config.Kernel
	})); err != nil {
		return err
	}
	r, err := rule.Learn(cmd.Context(), seen, l.options)
	if err != nil {
		return err
	}
	return l.finish(cmd, r, seen)
}

// export writes an existing rule.
func (l *learnCommand) export(cmd *cobra.Command, databases []string) error {
	if len(databases) > 0 {
		return command.Usage(errors.New("give either --rule or databases"))
	}
	r, _, err := readRule(cmd, l.ruleFile, rule.EmbeddedName)
	if err != nil {
		return err
	}
	return l.finish(cmd, r, nil)
}

// finish writes a rule, or evaluates it on another database.
func (l *learnCommand) finish(cmd *cobra.Command, r *rule.Rule, seen []rule.Observation) error {
	if l.evaluateOn == "" {
		return l.write(cmd, r, seen)
	}
	device := ""
	if seen == nil {
		device = l.device
	}
	other, _, err := observedIn(cmd, []string{l.evaluateOn}, device)
	if err != nil {
		return err
	}
	list, err := r.EvaluateOn(other)
	if err != nil {
		return err
	}
	return l.output.Print(cmd.OutOrStdout(), list, func(w io.Writer) { rule.WriteTransfers(w, list) })
}

// write writes the rule, its evaluation, or both. Without the trials that it was learned from, an
// evaluation is what the rule says of itself.
func (l *learnCommand) write(cmd *cobra.Command, r *rule.Rule, seen []rule.Observation) error {
	w := cmd.OutOrStdout()
	evaluate := l.evaluate || l.output.Data()
	if len(l.outs) > 0 || !evaluate {
		if err := writeRuleForms(w, r, l.outs); err != nil {
			return err
		}
	}

	if !evaluate {
		return nil
	}

	list, err := r.Evaluations(), error(nil)
	if seen != nil {
		list, err = rule.Evaluate(r, seen, l.options)
	}
	if err != nil {
		return err
	}
	return l.output.Print(w, list, func(w io.Writer) { rule.WriteEvaluation(w, r, list) })
}

// knownAll refuses names that nothing measured has: a typo would let a rule learn from what it is tested on.
func knownAll(flag, what string, names, valid []string) error {
	for _, name := range names {
		if err := command.Known(what, name, valid); err != nil {
			return fmt.Errorf("--%s: %w", flag, err)
		}
	}
	return nil
}

// A ruleForm is a form of a rule.
type ruleForm struct {
	extension string
	what      string
	// write writes a rule. name is the file's name without folder and extension.
	write func(w io.Writer, r *rule.Rule, name string) error
}

// ruleForms are all forms.
var ruleForms = []ruleForm{
	{".txt", "the tree and its figures, for people", withoutName((*rule.Rule).WriteText)},
	{".json", "for select --rule", withoutName((*rule.Rule).WriteJSON)},
	{".h", "a header for C99 and C++ without dependencies", code.WriteC},
	{".cuh", "a table of launches for CUDA", code.WriteLaunches},
	{".go", "a Go file", code.WriteGo},
	{".py", "a module for Python, which takes a scipy CSR matrix", code.WritePython},
}

func withoutName(write func(*rule.Rule, io.Writer) error) func(io.Writer, *rule.Rule, string) error {
	return func(w io.Writer, r *rule.Rule, _ string) error { return write(r, w) }
}

func ruleExtensions() []string {
	return lists.Of(ruleForms, func(f ruleForm) string { return strings.TrimPrefix(f.extension, ".") })
}

func ruleFormHelp() string {
	lines := lists.Of(ruleForms, func(e ruleForm) string { return fmt.Sprintf("  %-6s %s", e.extension, e.what) })
	return strings.Join(lines, "\n")
}

// ruleFormOf returns the form of a file's extension.
func ruleFormOf(path string) (ruleForm, error) {
	ext := filepath.Ext(path)
	if i := slices.IndexFunc(ruleForms, func(e ruleForm) bool { return e.extension == ext }); i >= 0 {
		return ruleForms[i], nil
	}
	return ruleForm{}, command.Usage(fmt.Errorf("--out %s: extension must be one of .%s", path,
		strings.Join(ruleExtensions(), ", .")))
}

// writeRuleForms writes a rule to files, or prints it.
func writeRuleForms(w io.Writer, r *rule.Rule, outs []string) error {
	if len(outs) == 0 {
		return r.WriteText(w)
	}
	for _, out := range outs {
		e, _ := ruleFormOf(out) // that there is one was checked before anything was learned
		name := strings.TrimSuffix(filepath.Base(out), e.extension)
		if err := os.MkdirAll(filepath.Dir(out), 0o777); err != nil {
			return err
		}
		if err := files.WriteTo(out, func(w io.Writer) error { return e.write(w, r, name) }); err != nil {
			return err
		}
		fmt.Fprintln(w, out)
	}

	return nil
}

// observedIn reads what a rule is learned from, and the classes that are kept for a final test: databases, which are
// named as runs are, files of saved observations, or both. Where both have a trial, the database's counts. If a
// device is named, the trials of others are left out. The run of tune adds to what taught the rule of its device that
// comes with the program.
func observedIn(cmd *cobra.Command, args []string, device string) (seen []rule.Observation, test []string, err error) {
	isTable := func(arg string) bool { return strings.HasSuffix(arg, trainingSuffix) }
	tables := lists.Where(args, isTable)
	databases := lists.Where(args, func(arg string) bool { return !isTable(arg) })
	if seen, test, err = savedIn(tables, func(path string) (fs.File, error) { return files.Open(path) }); err != nil {
		return nil, nil, err
	}
	if len(databases) > 0 || len(tables) == 0 {
		if databases, err = command.Databases(cmd, databases); err != nil {
			return nil, nil, err
		}
		measured, classes, err := observed(cmd.Context(), cmd.ErrOrStderr(), databases)
		if err != nil {
			return nil, nil, err
		}
		if slices.Contains(args, search.Tune) {
			paths, _ := fs.Glob(rule.Kept, "*")
			kept, classes, err := savedIn(paths, rule.Kept.Open)
			if err != nil {
				return nil, nil, err
			}
			devices := rule.Distinct(measured, func(o rule.Observation) string { return o.Device })
			names := rule.Distinct(measured, func(o rule.Observation) string { return o.Matrix })
			kept = slices.DeleteFunc(kept, func(o rule.Observation) bool { // a name is that of one matrix
				return !slices.Contains(devices, o.Device) || slices.Contains(names, o.Matrix)
			})
			if len(kept) != 0 {
				seen, test = append(seen, kept...), append(test, classes...)
			}
		}
		seen, test = append(seen, measured...), append(test, classes...)
	}
	if device == "" {
		return seen, test, nil
	}
	devices := rule.Distinct(seen, func(o rule.Observation) string { return o.Device })
	return lists.Where(seen, func(o rule.Observation) bool { return o.Device == device }), test,
		command.Known("device", device, devices)
}

// observed reads the trials in the databases, as a report on them does, and the classes that their
// sweeps keep for a final test. It says which kernels are left out.
func observed(ctx context.Context, w io.Writer, paths []string) (seen []rule.Observation, test []string, err error) {
	j, err := analysis.OpenAll(ctx, paths, store.Choice{})
	if err != nil {
		return nil, nil, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	if seen, err = j.Observations(ctx); err != nil {
		return nil, nil, err
	}
	if unseen := j.Unverified(); len(unseen) > 0 {
		fmt.Fprintf(w, "note: the rule leaves out %s\n", term.Some(unseen, command.FewNames))
	}
	return seen, j.TestClasses(), nil
}

// trainingSuffix is how the name of a file of saved observations ends.
const trainingSuffix = ".json.gz"

// savedIn reads saved observations, and the classes of their final tests.
func savedIn(paths []string, open func(string) (fs.File, error)) (all []rule.Observation, test []string, err error) {
	for _, path := range paths {
		f, err := open(path)
		if err != nil {
			return nil, nil, err
		}
		seen, classes, err := rule.ReadTraining(f)
		if err := errors.Join(err, f.Close()); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		all, test = append(all, seen...), append(test, classes...)
	}
	return all, test, nil
}
