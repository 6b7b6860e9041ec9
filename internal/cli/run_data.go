package cli

import (
	"context"
	"io"

	"spmvtune/internal/base/term"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// A ranData is what run prints for programs when it has ended, in one object of JSON. Its other formats are tables
// of the best configurations.
type ranData struct {
	Sweep    string `json:"sweep"`
	Database string `json:"database"`
	// Report is the page, "" without one.
	Report string `json:"report"`
	// Trials is the size of the plan, Known how many of it an earlier run had measured.
	Trials   int                  `json:"trials"`
	Known    int                  `json:"known"`
	Measured map[trial.Status]int `json:"measured"`
	// FailedBefore is how many failed in earlier runs and were not tried again.
	FailedBefore int `json:"failed_before"`
	// Unusable are matrices that could not be used, with the reason.
	Unusable    map[string]string `json:"unusable"`
	Interrupted bool              `json:"interrupted"`
	OutOfTime   bool              `json:"out_of_time"`
	// Best are the rows of the view best.
	Best []map[string]any `json:"best"`
}

// print prints what a run has come to.
func (r *runCommand) print(ctx context.Context, w io.Writer, sum tuner.Summary) error {
	view, err := r.db.Query(ctx, "best")
	if err != nil {
		return err
	}
	if r.output.ChosenFormat() != "json" {
		return r.output.Write(w, term.Table{Columns: view.Columns, Rows: view.Rows})
	}
	d := ranData{
		Sweep: r.sweep.Name, Database: r.database(), Report: r.page,
		Trials: sum.Trials, Known: sum.Finished, Measured: sum.Measured, FailedBefore: sum.FailedBefore,
		Unusable: map[string]string{}, Interrupted: sum.Interrupted, OutOfTime: sum.OutOfTime, Best: []map[string]any{},
	}
	for _, f := range sum.Failures {
		if !f.Measured {
			d.Unusable[f.Matrix] = f.Err.Error()
		}
	}
	for _, row := range view.Rows {
		best := map[string]any{}
		for i, name := range view.Columns {
			best[name] = row[i]
		}
		d.Best = append(d.Best, best)
	}
	return r.output.Write(w, d)
}
