package command

// The files of a results folder.
const (
	DatabaseFile = "results.db"
	RuleText     = "rule.txt"
	RuleJSON     = "rule.json"
	ReportFile   = "report.html"
)
