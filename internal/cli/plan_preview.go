package cli

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"spmvtune/analysis"
	"spmvtune/configs"
	"spmvtune/internal/base/lists"
	"spmvtune/internal/cli/show"
	"spmvtune/kernels"
	"spmvtune/store"
	"spmvtune/tuner"
	"spmvtune/tuner/hardware"
	"spmvtune/tuner/matrix"
)

// planned is what `plan --json` prints.
type planned struct {
	Sweep   string   `json:"sweep"`
	Devices []string `json:"devices"`
	Trials  int      `json:"trials"`
	// AtMost tells if a search decides which trials there are.
	AtMost   bool   `json:"at_most,omitempty"`
	Strategy string `json:"strategy"`
	Finished int    `json:"finished"`
	// Changed is why trials are new though the sweep was measured before; "" if none are.
	Changed string         `json:"changed,omitempty"`
	Skipped map[string]int `json:"skipped"`
	// Seconds is an estimate of the time left, from the start to the report.
	Seconds float64 `json:"seconds"`
	// Known counts the trials left whose kernel was measured on their matrix.
	Known int `json:"known"`
	// Repeats counts the repeat runs that are missing where all trials are measured.
	Repeats int `json:"repeats,omitempty"`
	// Absent counts the trials for a GPU that is not here. Run leaves them out where it has others.
	Absent int `json:"absent,omitempty"`
	// absentFinished counts those of them that are measured already.
	absentFinished int
	Matrices       []plannedMatrix   `json:"matrices"`
	Duplicates     []tuner.Duplicate `json:"duplicates,omitempty"`
	Missing        []plannedMatrix   `json:"missing,omitempty"`
	Failures       []plannedError    `json:"failures,omitempty"`
}

// plannedMatrix is the plan of a matrix on a device, or of the twin of a matrix that run downloads first: by its sizes
// alone, and in no sum. Without a twin, it has no device.
type plannedMatrix struct {
	Device      string `json:"device,omitempty"`
	Matrix      string `json:"matrix"`
	SuiteSparse string `json:"suitesparse,omitempty"` // what is downloaded
	Rows        int    `json:"rows"`
	Cols        int    `json:"cols"`
	NNZ         int    `json:"nnz"`
	Trials      int    `json:"trials"`
	Finished    int    `json:"finished"`
	// Seconds includes loading.
	Seconds float64 `json:"seconds"`
	// Announced tells if the sizes are as announced: the matrix was neither read nor generated.
	Announced bool `json:"announced,omitempty"`
}

type plannedError struct {
	Matrix  string `json:"matrix"`
	Message string `json:"message"`
}

// preview plans a sweep whose results are in the database at path, which may not exist yet.
func preview(ctx context.Context, sweep *configs.Sweep, path string, resolver *matrix.Resolver, stages *show.Stages) (
	*planned, error) {

	var db *store.DB
	// A run that was killed at once may have left an empty file.
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		if db, err = store.OpenCurrent(ctx, path); err != nil {
			return nil, err
		}
		defer db.Close()
	}

	p := &planned{Sweep: sweep.Name, Strategy: sweep.Search.Strategy, Skipped: map[string]int{},
		Matrices: []plannedMatrix{}}
	if db != nil {
		var err error
		if p.Changed, err = anew(ctx, db, sweep); err != nil {
			return nil, err
		}
	}
	for _, backend := range sweep.Backends() {
		if err := p.add(ctx, sweep.Only(backend), db, resolver, stages); err != nil {
			return nil, err
		}
	}

	return p, nil
}

// add plans the part of a sweep that runs on one backend. db may be nil.
func (p *planned) add(ctx context.Context, part *configs.Sweep, db *store.DB, resolver *matrix.Resolver,
	stages *show.Stages) error {

	opt := tuner.Options{Resolver: resolver, Planning: func(matrix string, done, of int) {
		stages.At("planning "+matrix, done, of)
	}}
	byRule, err := analysis.NewChooser(ctx, part)
	if err != nil {
		return err
	}
	byRule.Use(&opt)
	backend := part.Device.Backend
	if backend == "cuda" {
		if _, missing := hardware.UseGPUs(ctx, &part.Device, 1); missing != nil {
			backend = "cpu"
			var known []kernels.Device
			if db != nil {
				list, err := db.Devices(ctx)
				if err != nil {
					return err
				}
				known = lists.Of(list, func(d store.Device) kernels.Device { return d.Device })
			}
			opt.Assume = hardware.AssumeGPU(known)
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
	name, gpus := dev.Name, len(part.Device.Each())
	if gpus > 1 {
		name = fmt.Sprintf("%d × %s", gpus, name)
	}
	if opt.Assume != nil {
		name += " (assumed, not here)"
	}
	p.Devices = append(p.Devices, name)

	before, busy := p.Seconds, 0
	for _, f := range forecasts {
		p.addMatrix(name, f)
		if opt.Assume != nil && f.Missing == "" {
			p.Absent += f.Trials
			p.absentFinished += f.Finished
		}
		if f.Left() > 0 {
			busy++
		}
	}
	if busy > 0 { // a matrix stays on one GPU
		p.Seconds = before + (p.Seconds-before)/float64(min(gpus, busy)) + tuner.Around(dev).Seconds()
	}
	for _, f := range failed {
		if e := (plannedError{f.Matrix, hardware.InWords(f.Err).Error()}); !slices.Contains(p.Failures, e) {
			p.Failures = append(p.Failures, e)
		}
	}

	return nil
}

// addMatrix adds the plan of one matrix on a device.
func (p *planned) addMatrix(device string, f tuner.Estimate) {
	size := f.Matrix.Features
	m := plannedMatrix{Matrix: f.Matrix.Name, SuiteSparse: f.Missing, Rows: size.Rows, Cols: size.Cols, NNZ: size.Nonzeros,
		Trials: f.Trials, Finished: f.Finished, Seconds: f.Left().Seconds(), Announced: f.Announced}
	if f.Missing == "" || size.Rows > 0 {
		m.Device = device
	}
	switch {
	case f.Missing != "":
		if !slices.Contains(p.Missing, m) {
			p.Missing = append(p.Missing, m)
		}
		return
	case f.Duplicate != nil:
		if !slices.Contains(p.Duplicates, *f.Duplicate) {
			p.Duplicates = append(p.Duplicates, *f.Duplicate)
		}
		return
	}

	p.Matrices = append(p.Matrices, m)
	p.Trials += f.Trials
	p.AtMost = p.AtMost || f.AtMost
	p.Finished += f.Finished
	p.Known += f.Known
	p.Repeats += f.Repeats
	p.Seconds += m.Seconds
	for reason, n := range f.Skipped {
		p.Skipped[reason] += n
	}
}

// anew says what of its protocol a sweep has changed since it was measured last, which makes all of its trials new;
// "" if nothing.
func anew(ctx context.Context, db *store.DB, sweep *configs.Sweep) (changes string, err error) {
	sweeps, err := db.Sweeps(ctx)
	for _, s := range sweeps { // the last was run last
		if s.Name == sweep.Name && s.Trials > 0 {
			changes = protocolChange(s.Protocol, sweep.Protocol)
		}
	}
	return changes, err
}

// protocolChange says how two protocols differ in what is part of a trial's identity, see worker.ProtocolText.
func protocolChange(before, now configs.Protocol) string {
	var changes []string
	for _, k := range []struct {
		name    string
		was, is any
	}{
		{"warmup", before.Warmup, now.Warmup}, {"samples", before.Samples, now.Samples}, {"target", before.Target, now.Target},
		{"trial_budget", before.Budget, now.Budget}, {"seed", before.Seed, now.Seed}, {"launch", before.Launch, now.Launch},
		{"slow", before.Slow, now.Slow},
	} {
		if k.was != k.is {
			changes = append(changes, fmt.Sprintf("%s changed from %v to %v", k.name, k.was, k.is))
		}
	}
	return strings.Join(changes, ", ")
}
