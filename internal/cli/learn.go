package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/internal/cli/command"
	"spmvtune/rule"
)

// learnCommand is the command learn.
type learnCommand struct {
	outs             []string
	device, ruleFile string
	adapt, judge     string // databases
	keep             string // file to write
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
that was never measured. It reports how the rule does on structure classes left out one at
a time, and on classes that are kept for a final test: those that the sweeps name (test in
[learn]) or --test. Beside it stand the best single configuration and kernel, cuSPARSE, the
papers' own rule, and a boosted ensemble. The extension of -o says in which form it writes
the rule:

` + ruleFormHelp() + `

--evaluate prints more, as Markdown: a learning curve, the value of each feature, after how
many products the features have paid for themselves, and on which matrices the rule fails.
With --rule it prints what that rule says of itself: its figures, by class, and its failures.

` + command.RunHelp,
		Example: `  spmvtune learn results.db
  spmvtune learn a.db b.db -o rule.json -o rule.h
  spmvtune learn spmvtune-out/*/results.db --device "NVIDIA H100" -o rule.json
  spmvtune learn --rule h100 -o rule.h      # the embedded rule, for a C program
  spmvtune learn corpus.db --evaluate > rule.md
  spmvtune learn --rule h100 --evaluate     # the figures of the embedded rule
  spmvtune learn corpus.db --keep data.json.gz # what it learns from, small: learn takes it, too
  spmvtune learn corpus.db --products 100   # with the time of preparation
  spmvtune learn --rule h100 --judge a30.db # how the rule does on another device
  spmvtune learn corpus.db --without sell_local,csr_lanes --evaluate # before there were these
  spmvtune learn --rule h100 --adapt a30.db -o a30.json`,
		ValidArgsFunction: command.CompleteRuns,
		RunE:              l.Run,
	}
	f := cmd.Flags()
	f.StringArrayVarP(&l.outs, "out", "o", nil, "file to write; may be repeated (default: print the text)")
	f.StringVar(&l.device, "device", "", "learn from this device only; with --rule, judge or adapt on it")
	f.StringVar(&l.ruleFile, "rule", "",
		"export an existing rule instead of learning one: a rule.json, or "+rule.EmbeddedNames()+
			" for one that comes with spmvtune")
	f.StringVar(&l.adapt, "adapt", "",
		"database of a few matrices on another device, or what --keep wrote: make the rule one for that device")
	f.StringVar(&l.judge, "judge", "",
		"database of another device, or what --keep wrote: say how the rule does there, adapted by 0, 5 and 20 matrices")
	f.StringSliceVar(&l.options.Test, "test", nil,
		"classes to keep for the final test, instead of those that the sweeps name")
	f.StringSliceVar(&l.options.Without, "without", nil,
		"kernels that the rule may not choose, though they count as the best: what a rule loses that doesn't know them")
	f.IntVar(&l.options.Products, "products", 0,
		"amortize preparation over this many products (default: ignore preparation)")
	f.IntVar(&l.options.MaxDepth, "depth", l.options.MaxDepth, "largest number of tests before a choice")
	f.BoolVar(&l.options.Ensemble, "ensemble", l.options.Ensemble,
		"also learn a boosted ensemble, for select --accurate")
	f.BoolVar(&l.evaluate, "evaluate", false, "print learning curve, value of features, and what the rule misses")
	f.StringVar(&l.keep, "keep", "", "only write what a rule would be learned from, without samples: a file "+
		"NAME"+keptSuffix+", which learn takes in place of a database")
	l.output.Flags(cmd)
	command.FlagFile(cmd, "out", ruleExtensions()...)
	command.FlagFile(cmd, "rule", "json")
	command.FlagFile(cmd, "adapt", "db")
	command.FlagFile(cmd, "judge", "db")
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
		return command.Usage(err)
	}
	seen, test, err := observedIn(cmd, args, l.device)
	if err != nil {
		return err
	}
	if l.keep != "" {
		return keepIn(l.keep, seen, test)
	}
	if !cmd.Flags().Changed("test") {
		l.options.Test = test
	} else if err := checkClasses(seen, l.options.Test); err != nil {
		return err
	}

	if err := checkKernels(seen, l.options.Without); err != nil {
		return err
	}
	r, err := rule.Learn(cmd.Context(), seen, l.options)
	if err != nil {
		return err
	}
	return l.elsewhere(cmd, r, seen)
}

// export writes an existing rule.
func (l *learnCommand) export(cmd *cobra.Command, databases []string) error {
	if len(databases) > 0 {
		return command.Usage(errors.New("give either --rule or databases"))
	}
	if len(l.options.Without) > 0 {
		return command.Usage(errors.New("--without is for learning from databases, not for --rule"))
	}
	r, _, err := readRule(cmd, l.ruleFile, rule.EmbeddedName)
	if err != nil {
		return err
	}
	return l.elsewhere(cmd, r, nil)
}

// elsewhere judges a rule by another database, adapts it to one, or only writes it.
func (l *learnCommand) elsewhere(cmd *cobra.Command, r *rule.Rule, seen []rule.Observation) error {
	database := cmp.Or(l.judge, l.adapt)
	if database == "" {
		return l.write(cmd, r, seen)
	}
	if l.judge != "" && (l.adapt != "" || len(l.outs) > 0 || l.evaluate) {
		return command.Usage(errors.New("--judge prints how the rule does, and goes with neither --adapt, --out nor " +
			"--evaluate"))
	}
	device := ""
	if seen == nil {
		device = l.device
	}
	other, _, err := observedIn(cmd, []string{database}, device)
	if err != nil {
		return err
	}

	if l.judge == "" {
		if r, err = r.Adapt(other, l.options); err != nil {
			return err
		}
		return l.write(cmd, r, nil)
	}
	list, err := r.Judge(other, l.options)
	if err != nil {
		return err
	}
	if l.output.Data() {
		return l.output.Write(cmd.OutOrStdout(), list)
	}
	return rule.WriteTransfers(cmd.OutOrStdout(), list)
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
		list, err = rule.Evaluate(cmd.Context(), r, seen, l.options)
	}
	if err != nil {
		return err
	}
	if l.output.Data() {
		return l.output.Write(w, list)
	}
	return rule.WriteEvaluation(w, r, list)
}

// checkKernels refuses kernels of --without that nobody has measured.
func checkKernels(seen []rule.Observation, named []string) error {
	var measured []string
	for _, o := range seen {
		if !slices.Contains(measured, o.Config.Kernel) {
			measured = append(measured, o.Config.Kernel)
		}
	}
	for _, name := range named {
		if slices.Contains(measured, name) {
			continue
		}
		err := fmt.Errorf("--without: kernel %q was not measured", name)
		if near := configs.Nearest(name, measured); near != "" {
			err = fmt.Errorf("%w: did you mean %q?", err, near)
		}
		return command.Usage(err)
	}
	return nil
}

// checkClasses refuses classes that no matrix has: a typo would let the rule learn from what
// it is tested on.
func checkClasses(seen []rule.Observation, named []string) error {
	var classes []string
	for _, o := range seen {
		if !slices.Contains(classes, o.Class) {
			classes = append(classes, o.Class)
		}
	}
	for _, class := range named {
		if slices.Contains(classes, class) {
			continue
		}
		err := fmt.Errorf("--test: no matrix is of class %q", class)
		if near := configs.Nearest(class, classes); near != "" {
			err = fmt.Errorf("%w: did you mean %q?", err, near)
		}
		return command.UsageHint(err, `put a class whose name has a comma in quotes: --test '"random, long rows"'`)
	}
	return nil
}
