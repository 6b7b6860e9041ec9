package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"spmvtune/internal/base/files"
	"spmvtune/internal/cli/command"
	"spmvtune/rule"
	"spmvtune/rule/code"
)

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

// ruleFormOf returns the form of a file's extension.
func ruleFormOf(path string) (ruleForm, error) {
	ext := filepath.Ext(path)
	for _, e := range ruleForms {
		if e.extension == ext {
			return e, nil
		}
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
		e, err := ruleFormOf(out)
		if err != nil {
			return err
		}
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
