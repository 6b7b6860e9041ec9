// Package job is what happens after measuring, once for run, merge and report: it decides
// which configurations are tied, learns a rule, judges the papers' claims, and writes the
// report.
//
// A Job opens its database once and reads trials and features once. Everything after that
// works on what was read. The package prints nothing: its results hold the text.
package job
