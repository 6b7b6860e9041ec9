package cli

import (
	"context"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/internal/cli/hardware"
	"spmvtune/internal/job"
	"spmvtune/store"
	"spmvtune/tuner"
	"spmvtune/tuner/matrix"
	"spmvtune/tuner/trial"
)

// planned is what `plan --json` prints.
type planned struct {
	Sweep      string             `json:"sweep"`
	Devices    []string           `json:"devices"`
	Trials     int                `json:"trials"`
	AtMost     bool               `json:"at_most,omitempty"` // a search decides which trials there are
	Strategy   string             `json:"strategy"`
	Finished   int                `json:"finished"`
	Skipped    map[string]int     `json:"skipped"`
	Seconds    float64            `json:"seconds"` // that are left, a guess
	Known      int                `json:"known"`   // of the trials left, those whose kernel was measured on their matrix
	Matrices   []plannedMatrix    `json:"matrices"`
	Duplicates []plannedDuplicate `json:"duplicates,omitempty"`
	Missing    []plannedGet       `json:"missing,omitempty"`
	Failures   []plannedError     `json:"failures,omitempty"`
}

type plannedMatrix struct {
	Device   string  `json:"device"`
	Matrix   string  `json:"matrix"`
	Rows     int     `json:"rows"`
	Cols     int     `json:"cols"`
	NNZ      int     `json:"nnz"`
	Trials   int     `json:"trials"`
	Finished int     `json:"finished"`
	Seconds  float64 `json:"seconds"`
}

// plannedDuplicate is a matrix with the content of another one.
type plannedDuplicate struct {
	Matrix string `json:"matrix"`
	First  string `json:"first"`
}

// plannedGet is a matrix that run downloads first. The rest is that of its twin, if it
// has one, from sizes alone, and is in no sum.
type plannedGet struct {
	Matrix      string  `json:"matrix"`
	SuiteSparse string  `json:"suitesparse"`
	Device      string  `json:"device,omitempty"`
	Rows        int     `json:"rows,omitempty"`
	Cols        int     `json:"cols,omitempty"`
	NNZ         int     `json:"nnz,omitempty"`
	Trials      int     `json:"trials,omitempty"`
	Seconds     float64 `json:"seconds,omitempty"` // loading included
}

type plannedError struct {
	Matrix  string `json:"matrix"`
	Message string `json:"message"`
}

func preview(cmd *cobra.Command, sweep *configs.Sweep, database string, settler *matrix.Resolver) (*planned, error) {
	ctx := cmd.Context()
	var db *store.DB
	// A run that was killed at once may have left an empty file.
	if info, err := os.Stat(database); err == nil && info.Size() > 0 {
		if db, err = store.OpenReadOnly(database); err != nil {
			return nil, err
		}
		defer db.Close()
	}
	p := &planned{Sweep: sweep.Name, Strategy: sweep.Search.Strategy, Skipped: map[string]int{}, Matrices: []plannedMatrix{}}
	for _, backend := range sweep.Backends() {
		if err := p.add(ctx, sweep.Only(backend), db, settler); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// add plans the part of a sweep that runs on one backend. db may be nil.
func (p *planned) add(ctx context.Context, part *configs.Sweep, db *store.DB, settler *matrix.Resolver) error {
	opt := tuner.Options{Resolver: settler}
	byRule, err := job.NewChooser(ctx, part)
	if err != nil {
		return err
	}
	byRule.Use(&opt)
	backend := part.Device.Backend
	if backend == "cuda" {
		if _, missing := hardware.FindCUDA(ctx, part.Device.Index); missing != nil {
			backend = "cpu"
			if opt.Assume, err = hardware.AssumeGPU(ctx, db); err != nil {
				return err
			}
		}
	}
	if opt.Launch, err = hardware.LaunchWorker(backend); err != nil {
		return err
	}
	var rec tuner.Recorder
	if db != nil {
		rec = db
	}
	dev, forecasts, failed, err := tuner.Preview(ctx, part, rec, opt)
	if err != nil {
		return hardware.ExplainGPU(err)
	}
	name := dev.Name
	if opt.Assume != nil {
		name += " (not here: assumed)"
	}
	p.Devices = append(p.Devices, name)
	for _, f := range forecasts {
		if f.Missing != "" {
			m := plannedGet{Matrix: f.Matrix.Name, SuiteSparse: f.Missing}
			if f.Size != (trial.Size{}) {
				m.Device, m.Rows, m.Cols, m.NNZ = name, f.Size.Rows, f.Size.Cols, f.Size.Nonzeros
				m.Trials, m.Seconds = f.Outlook.Trials, (f.Outlook.Time + f.Outlook.Load).Seconds()
			}
			if !slices.Contains(p.Missing, m) {
				p.Missing = append(p.Missing, m)
			}
			continue
		}
		if f.Duplicate != nil {
			if t := plannedDuplicate(*f.Duplicate); !slices.Contains(p.Duplicates, t) {
				p.Duplicates = append(p.Duplicates, t)
			}
			continue
		}
		m := f.Matrix.Features
		p.Matrices = append(p.Matrices, plannedMatrix{
			name, f.Matrix.Name, m.Rows, m.Cols, m.Nonzeros, f.Count, f.Finished, f.Time.Seconds(),
		})
		p.Trials += f.Count
		p.AtMost = p.AtMost || f.AtMost
		p.Finished += f.Finished
		p.Known += f.Known
		p.Seconds += f.Time.Seconds()
		for reason, n := range f.Skipped {
			p.Skipped[reason] += n
		}
	}
	for _, f := range failed {
		if e := (plannedError{f.Matrix, hardware.InWords(f.Err).Error()}); !slices.Contains(p.Failures, e) {
			p.Failures = append(p.Failures, e)
		}
	}
	return nil
}
