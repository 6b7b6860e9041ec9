package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/internal/cli/command"
	"spmvtune/internal/term"
	"spmvtune/rule"
	"spmvtune/store"
)

func newLearn() *cobra.Command {
	var outs []string
	var device, ruleFile string
	var evaluate, asJSON bool
	opt := rule.DefaultOptions
	opt.Ensemble = true
	cmd := &cobra.Command{
		Use:   "learn [DB...]",
		Short: "Learn a rule from databases, and export it",
		Long: `learn learns from the trials of one database or several which kernel to use for a
matrix that was never measured, says how it does on structure classes left out one at a
time, and on classes that were kept for a final test, as the sweeps say (test in [learn])
or, in their place, --test. Beside it stand the best single configuration and kernel, cuSPARSE, the
papers' own rule, and a boosted ensemble. It writes the rule in the forms that -o names
by their extensions:

` + ruleFormHelp() + `

--evaluate prints, as Markdown, what else is to be known: a learning curve, what each
feature is worth, after how many products the features have paid for themselves, and on
which matrices the rule fails.`,
		Example: `  spmvtune learn results.db
  spmvtune learn a.db b.db -o rule.json -o rule.h
  spmvtune learn spmvtune-out/*/results.db --device "NVIDIA H100" -o rule.json
  spmvtune learn --rule h100 -o rule.h      # the embedded rule, for a C program
  spmvtune learn corpus.db --evaluate > rule.md
  spmvtune learn corpus.db --products 100   # preparing the matrix counts`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"db"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, out := range outs {
				if _, err := ruleFormOf(out); err != nil {
					return err
				}
			}
			if ruleFile != "" {
				if len(args) > 0 {
					return command.Usage(errors.New("either --rule or databases: a rule is learned already"))
				}
				r, _, err := readRule(ruleFile, nil)
				if err != nil {
					return err
				}
				return writeRuleForms(cmd.OutOrStdout(), r, outs)
			}
			if len(args) == 0 {
				name, err := command.Only(command.DatabaseFile, "results database", func(path string) string { return command.Again(cmd, path) })
				if err != nil {
					return err
				}
				args = []string{name}
			}
			if err := opt.Check(); err != nil {
				return command.Usage(err)
			}
			evaluate = evaluate || asJSON
			ctx, w := cmd.Context(), cmd.OutOrStdout()
			seen, test, err := observations(ctx, args, device)
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("test") {
				opt.Test = test
			} else if err := classesOf(seen, opt.Test); err != nil {
				return err
			}
			r, err := rule.Learn(ctx, seen, opt)
			if err != nil {
				return err
			}
			if len(outs) > 0 || !evaluate {
				err = writeRuleForms(w, r, outs)
			}
			if err != nil || !evaluate {
				return err
			}
			list, err := rule.Evaluate(ctx, r, seen, opt)
			if err != nil {
				return err
			}
			if asJSON {
				return term.WriteJSON(w, list)
			}
			return rule.WriteEvaluation(w, r, list)
		},
	}
	cmd.Flags().StringArrayVarP(&outs, "out", "o", nil, "file to write; may be given several times (default: print the text)")
	f := cmd.Flags()
	f.StringVar(&device, "device", "", "learn of this device only")
	f.StringVar(&ruleFile, "rule", "", "learn nothing, but write this rule: a rule.json, or "+rule.EmbeddedName+" for the one that comes with spmvtune")
	f.StringSliceVar(&opt.Test, "test", nil, "classes that are kept for the final test, in place of those that the sweeps name")
	f.IntVar(&opt.Products, "products", 0, "products that are done with a matrix: preparing it is shared out over them (default: it doesn't count)")
	f.IntVar(&opt.MaxDepth, "depth", opt.MaxDepth, "most tests on the way to a choice")
	f.BoolVar(&opt.Ensemble, "ensemble", opt.Ensemble, "learn a boosted ensemble, too, for select --accurate")
	f.BoolVar(&evaluate, "evaluate", false, "print learning curve, worth of features, and what the rule misses")
	f.BoolVar(&asJSON, "json", false, "print the evaluation as JSON")
	command.FlagFile(cmd, "out", ruleExtensions()...)
	command.FlagFile(cmd, "rule", "json")
	return cmd
}

// observations reads all trials in the databases, of one device if it is named, and the
// classes that their sweeps keep for a final test.
func observations(ctx context.Context, paths []string, device string) (seen []rule.Observation, test []string, err error) {
	for _, path := range paths {
		if err := settle(ctx, path); err != nil {
			return nil, nil, err
		}
		db, err := store.OpenReadOnly(path)
		if err != nil {
			return nil, nil, err
		}
		more, err := rule.FromStore(ctx, db)
		if err == nil {
			var classes []string
			classes, err = testClasses(ctx, db)
			seen, test = append(seen, more...), append(test, classes...)
		}
		db.Close() // nothing was written
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	if device != "" {
		var devices []string
		for _, o := range seen {
			devices = append(devices, o.Device)
		}
		slices.Sort(devices)
		devices = slices.Compact(devices)
		if !slices.Contains(devices, device) {
			return nil, nil, command.Usage(fmt.Errorf("nothing was measured on %q: there are %s", device, strings.Join(devices, ", ")))
		}
		seen = slices.DeleteFunc(seen, func(o rule.Observation) bool { return o.Device != device })
	}
	return seen, test, nil
}

// classesOf refuses classes that no matrix has: a slip of the pen would let the rule learn
// from what it is tested on.
func classesOf(seen []rule.Observation, named []string) error {
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
		return command.UsageHint(err, `a class whose name has a comma is written in quotes: --test '"random, long rows"'`)
	}
	return nil
}

// testClasses are the classes that the sweeps of a database keep for a final test.
func testClasses(ctx context.Context, db *store.DB) ([]string, error) {
	sweeps, err := db.Sweeps(ctx)
	if err != nil {
		return nil, err
	}
	var list []string
	for _, s := range sweeps {
		for _, class := range configs.LearnOf([]byte(s.Text)).Test {
			if !slices.Contains(list, class) {
				list = append(list, class)
			}
		}
	}
	return list, nil
}
