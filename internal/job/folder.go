package job

import (
	"io"
	"os"
	"path/filepath"

	"spmvtune/internal/base/files"
	"spmvtune/rule"
)

// The files of a results folder.
const (
	DatabaseFile = "results.db"
	RuleText     = "rule.txt"
	RuleJSON     = "rule.json"
	ReportFile   = "report.html"
)

// writeRule writes a rule to a results folder, as text and as JSON.
func writeRule(folder string, r *rule.Rule) error {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return err
	}
	for name, write := range map[string]func(io.Writer) error{RuleText: r.WriteText, RuleJSON: r.WriteJSON} {
		if err := files.WriteTo(filepath.Join(folder, name), write); err != nil {
			return err
		}
	}
	return nil
}
