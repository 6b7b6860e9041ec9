package cli

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/rule"
	"spmvtune/store"
)

func newLearn() *cobra.Command {
	var outs []string
	var device string
	cmd := &cobra.Command{
		Use:   "learn [DB...]",
		Short: "Learn a rule from databases, and export it",
		Long: `learn learns from the trials of one database or several which kernel to use for a
matrix that was never measured, says how it does on matrices left out, and writes the
rule in the forms that -o names by their extensions:

` + ruleFormHelp(),
		Example: `  spmvtune learn results.db
  spmvtune learn a.db b.db -o rule.json -o rule.h
  spmvtune learn spmvtune-out/*/results.db --device "NVIDIA H100" -o rule.go`,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"db"}, cobra.ShellCompDirectiveFilterFileExt
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, out := range outs {
				if _, err := ruleFormOf(out); err != nil {
					return err
				}
			}
			if len(args) == 0 {
				name, err := only(databaseFile, "results database", func(path string) string { return again(cmd, path) })
				if err != nil {
					return err
				}
				args = []string{name}
			}
			r, err := learnFrom(cmd.Context(), args, device)
			if err != nil {
				return err
			}
			return writeRuleForms(cmd.OutOrStdout(), r, outs)
		},
	}
	cmd.Flags().StringArrayVarP(&outs, "out", "o", nil, "file to write; may be given several times (default: print the text)")
	cmd.Flags().StringVar(&device, "device", "", "learn of this device only")
	flagFile(cmd, "out", ruleExtensions()...)
	return cmd
}

// learnFrom learns from all trials in the databases, of one device if it is named.
func learnFrom(ctx context.Context, paths []string, device string) (*rule.Rule, error) {
	var seen []rule.Observation
	for _, path := range paths {
		db, err := store.OpenReadOnly(path)
		if err != nil {
			return nil, err
		}
		more, err := rule.FromStore(ctx, db)
		db.Close() // nothing was written
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		seen = append(seen, more...)
	}
	if device != "" {
		var devices []string
		for _, o := range seen {
			devices = append(devices, o.Device)
		}
		slices.Sort(devices)
		devices = slices.Compact(devices)
		if !slices.Contains(devices, device) {
			return nil, usage(fmt.Errorf("nothing was measured on %q: there are %s", device, strings.Join(devices, ", ")))
		}
		seen = slices.DeleteFunc(seen, func(o rule.Observation) bool { return o.Device != device })
	}
	return rule.Learn(ctx, seen, rule.DefaultOptions)
}

// A ruleForm is a form of a rule.
type ruleForm struct {
	extension string
	what      string
	write     func(r *rule.Rule, name string) func(io.Writer) error // name: of the file, without folder and extension
}

// ruleForms are all forms.
var ruleForms = []ruleForm{
	{".txt", "the tree and its figures, for people", func(r *rule.Rule, _ string) func(io.Writer) error { return r.WriteText }},
	{".json", "what select --rule reads", func(r *rule.Rule, _ string) func(io.Writer) error { return r.WriteJSON }},
}

func ruleExtensions() []string {
	var all []string
	for _, e := range ruleForms {
		all = append(all, strings.TrimPrefix(e.extension, "."))
	}
	return all
}

func ruleFormHelp() string {
	var b strings.Builder
	for _, e := range ruleForms {
		fmt.Fprintf(&b, "  %-6s %s\n", e.extension, e.what)
	}
	return strings.TrimRight(b.String(), "\n")
}

// ruleFormOf returns the form that a file's extension asks for.
func ruleFormOf(path string) (ruleForm, error) {
	ext := filepath.Ext(path)
	for _, e := range ruleForms {
		if e.extension == ext {
			return e, nil
		}
	}
	return ruleForm{}, usage(fmt.Errorf("--out %s: its extension is to be one of .%s", path, strings.Join(ruleExtensions(), ", .")))
}

// writeRuleForms writes a rule to files, or prints it.
func writeRuleForms(w io.Writer, r *rule.Rule, outs []string) error {
	if len(outs) == 0 {
		return r.WriteText(w)
	}
	for _, out := range outs {
		e, err := ruleFormOf(out)
		if err != nil {
			return err
		}
		name := strings.TrimSuffix(filepath.Base(out), e.extension)
		if err := writeFile(out, e.write(r, name)); err != nil {
			return err
		}
		fmt.Fprintln(w, out)
	}
	return nil
}
