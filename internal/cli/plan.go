// SPDX-License-Identifier: Apache-2.0

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/configs"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/internal/cli/command"
	"example.org/spmvtune/internal/cli/show"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/hardware"
	"example.org/spmvtune/tuner/matrix"
)

// planCommand is the command plan.
type planCommand struct {
	out     string
	offline bool
	output  command.Output
	once    configs.Once
}

func newPlan() *cobra.Command {
	var p planCommand
	cmd := &cobra.Command{
		Use:   "plan SWEEP",
		Short: "Show what a sweep would run, and for how long",
		Long: `plan checks a sweep file, applies its constraints, looks up which trials are measured
already, and measures nothing. It reads or generates small matrices, a few seconds in all,
and keeps none of them; larger ones that are neither cached nor measured it plans by the
sizes that they announce. It downloads nothing either: it lists matrices that are not here
yet, and plans with their twins if they have one.`,
		Example: `  spmvtune plan quickstart
  spmvtune plan my-sweep.toml --json`,
		Args:              command.NeedsSweep,
		ValidArgsFunction: command.CompleteSweep,
		RunE:              p.Run,
	}
	cmd.Flags().StringVarP(&p.out, "out", "o", "", "folder of the results (default "+command.OutRoot()+"/NAME)")
	p.output.Flags(cmd)
	cmd.Flags().BoolVar(&p.offline, "offline", false, "plan for run --offline")
	command.FlagOnce(cmd, &p.once)
	command.FlagFile(cmd, "out")
	return cmd
}

// Run plans a sweep.
func (p *planCommand) Run(cmd *cobra.Command, args []string) error {
	sweep, err := command.LoadSweep(cmd, args[0], p.once)
	if err != nil {
		return err
	}
	resolver, err := show.NewResolver(p.offline, nil)
	if err != nil {
		return err
	}

	out := cmp.Or(p.out, filepath.Join(command.OutRoot(), sweep.Name))
	stages := show.NewStages(cmd.ErrOrStderr())
	planned, err := preview(cmd.Context(), sweep, filepath.Join(out, analysis.DatabaseFile), resolver, stages)
	stages.Clear()
	if err != nil {
		return err
	}

	err = p.output.Print(cmd.OutOrStdout(), planned, planned.print)
	switch {
	case err != nil:
	case len(planned.Failures) > 0:
		err = fmt.Errorf("%s can't be used", term.Matrices(len(planned.Failures)))
	case planned.Trials == 0 && len(planned.Skipped) > 0:
		err = errors.New(command.NothingLeft(slices.Sorted(maps.Keys(planned.Skipped))))
	}
	return err
}

// print prints the plan for people.
func (p *planned) print(w io.Writer) {
	fmt.Fprintf(w, "%s on %s\n", p.Sweep, strings.Join(p.Devices, " and "))
	if t := p.table(); len(t.Rows) > 0 {
		t.Print(w)
	}

	p.printAnnounced(w)
	p.printMissing(w)
	for _, t := range p.Duplicates {
		fmt.Fprintln(w, t)
	}
	show.Skipped(w, p.Skipped)

	for _, f := range p.Failures {
		fmt.Fprintf(w, "can't be used: %s: %s\n", f.Matrix, f.Message)
	}

	if len(p.Missing) > 0 && p.Trials == 0 {
		return
	}
	if len(p.Missing) > 0 {
		fmt.Fprint(w, "of the others: ")
	}
	for line := range strings.Lines(p.sum()) {
		term.Print(w, line)
	}
	if n := p.Trials - p.Finished; n > 0 && p.Changed != "" {
		term.Print(w, show.NewTrials(p.Changed, n))
	}
}

// table has a row for each matrix, and for each twin that stands for a missing matrix.
func (p *planned) table() term.Table {
	t := term.Table{Columns: []string{"device", "matrix", "rows", "cols", "nnz", "trials", "measured", "time left"}}
	for _, m := range slices.Concat(p.Matrices, p.Missing) {
		device := m.Device
		if device == "" {
			continue
		}
		if len(p.Devices) == 1 {
			device = ""
		}
		if m.SuiteSparse != "" {
			m.Matrix += " (as its twin)"
		}
		t.Add(device, m.Matrix, m.Rows, m.Cols, m.NNZ, m.Trials, m.Finished, term.Quantity(term.RoughSeconds(m.Seconds)))
	}
	t.DropEmpty()
	return t
}

// printAnnounced says which matrices the plan does not know well.
func (p *planned) printAnnounced(w io.Writer) {
	announced := lists.Where(p.Matrices, func(m plannedMatrix) bool { return m.Announced })
	if n := len(lists.Distinct(announced, func(m plannedMatrix) string { return m.Matrix })); n > 0 {
		term.Print(w, fmt.Sprintf("%s: %s not read or generated for the plan, so the nonzeros may be a few per cent off, "+
			"and equal content is not seen", term.Count(n, "matrix is planned by its announced size",
			"matrices are planned by their announced sizes"), term.Noun(n, "it was", "they were")))
	}
}

// printMissing says which matrices run downloads first.
func (p *planned) printMissing(w io.Writer) {
	var planned []string // matrices that are planned as their twins
	trials, seconds := 0, 0.0
	for _, m := range p.Missing {
		if m.Device == "" {
			fmt.Fprintf(w, "%s is not downloaded yet, so its size and its trials are unknown; "+
				"run or `spmvtune matrix get %s` downloads it\n", m.Matrix, m.SuiteSparse)
			continue
		}
		trials, seconds = trials+m.Trials, seconds+m.Seconds
		if !slices.Contains(planned, m.SuiteSparse) {
			planned = append(planned, m.SuiteSparse)
		}
	}
	if len(planned) == 0 {
		return
	}

	get := term.Noun(len(planned), planned[0], "Group/Name")
	fmt.Fprintf(w, "%s; run or `spmvtune matrix get %s` downloads %s\n",
		term.Count(len(planned), "matrix is not downloaded yet", "matrices are not downloaded yet"), get,
		term.Noun(len(planned), "it", "them"))
	fmt.Fprintf(w, "  the plan has their twins instead: %s, about %s; the matrices themselves may be larger\n",
		term.Trials(trials), term.RoughSeconds(seconds))
}

// sum says how much is left, and what of it run would leave out here.
func (p *planned) sum() string {
	if p.Absent == 0 || p.Absent == p.Trials || p.Finished == p.Trials {
		return p.left()
	}
	return fmt.Sprintf("%s\n%d of them %s for the GPU, which is not here: here, run leaves %s out and measures %d",
		p.left(), p.Absent, term.Noun(p.Absent, "is", "are"), term.Noun(p.Absent, "it", "them"),
		p.Trials-p.Absent-(p.Finished-p.absentFinished))
}

// left says how much is left.
func (p *planned) left() string {
	trials, left := term.Trials(p.Trials), term.RoughSeconds(p.Seconds)
	switch {
	case p.Trials > 0 && p.Finished == p.Trials && p.Repeats > 0:
		return fmt.Sprintf("%s, all measured already, but at least %s; time left about %s", trials,
			term.Count(p.Repeats, "repeat run is missing", "repeat runs are missing"), left)
	case p.Trials > 0 && p.Finished == p.Trials:
		return trials + ", all measured already"
	case p.AtMost:
		return fmt.Sprintf("%s at most, %d measured already: the search (%s) picks trials and numbers of samples; "+
			"time left about %s, estimated from typical searches", trials, p.Finished, p.Strategy, left)
	default:
		return fmt.Sprintf("%s, %d measured already; time left about %s with the report, %s", trials, p.Finished, left, p.basis())
	}
}

// basis says what the time left is estimated from.
func (p *planned) basis() string {
	if p.Known == 0 {
		return "estimated from the sizes and the sweep's budget for a trial"
	}
	return fmt.Sprintf("estimated from the times of the kernels of %d of them on the same matrices", p.Known)
}

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

	p := &planned{Sweep: sweep.Name, Strategy: sweep.Search.Strategy, Skipped: map[string]int{},
		Matrices: []plannedMatrix{}}
	var db *store.DB
	// A run that was killed at once may have left an empty file.
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		if db, err = store.OpenCurrent(ctx, path); err != nil {
			return nil, err
		}
		defer db.Close()
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
	gpus := len(part.Device.Each())
	name := show.Devices(gpus, dev.Name)
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
