// SPDX-License-Identifier: Apache-2.0

package submit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/slurm"
	"example.org/spmvtune/store"
	"example.org/spmvtune/tuner"
	"example.org/spmvtune/tuner/journal"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// A Source is what an earlier run has measured, of which a new run is given what it would measure, too: then only
// the rest is sent. It is the folder of a run, wherever it lies now, or a database, held in memory with all samples.
//
// What may be adopted is decided by identity (see Match): the trials that the new run would try are planned on the
// device that the earlier one had, from the sweep, the content of its matrices and the code of this program, and
// only these are taken. So everything that a result depends on is the same. They go into journals of the new run,
// one for each chunk, as those of an attempt: tasks find them there, a merge brings them into the database, and if
// they are lost, that is noticed as for any journal.
type Source struct {
	Path string // Path is the folder of a run, or a database.
	// Run is nil for a database.
	Run *slurm.Run

	records map[string]*record // by identity
	// open are the matrices of chunks that the run has not completed: repeats may be missing.
	open map[string]bool
}

// A record is a trial with its repeats, and where it was measured.
type record struct {
	run *journal.Run
	trial.Record
}

// known reports whether the trial of a record is there, and not only its repeats.
func (r *record) known() bool { return r != nil && r.ID != "" && r.run != nil }

// ReadRun reads the journals of a run and, if it was merged, what its database has beyond them: journals
// may have been removed since.
func ReadRun(ctx context.Context, run *slurm.Run) (*Source, error) {
	s := &Source{Path: run.Dir, Run: run, records: map[string]*record{}, open: map[string]bool{}}
	files, err := run.Files()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for i := range files {
		for line := range files[i].Lines(ctx) {
			if line.Trial != nil {
				s.take(line.Trial.Run, line.Trial.Result)
			}
		}
		if fault := files[i].Fault; fault.Unread || ctx.Err() != nil {
			return nil, cmp.Or(ctx.Err(), fmt.Errorf("reading journal %s: %s", files[i].Name, fault.First))
		}
	}
	plan, err := run.Plan()
	if err != nil {
		return nil, err
	}
	for _, m := range slurm.Incomplete(plan, files) {
		for _, p := range plan.Chunk(m.Chunk).Pieces {
			s.open[p.Matrix] = true
		}
	}

	database := run.Path(slurm.DatabaseFile)
	if _, err := os.Stat(database); errors.Is(err, fs.ErrNotExist) {
		return s, nil
	}
	if err := s.readDatabase(ctx, database); err != nil && (len(s.records) == 0 || !store.Damaged(err)) {
		return nil, err
	}
	return s, nil
}

// ReadDatabase reads a database.
func ReadDatabase(ctx context.Context, path string) (*Source, error) {
	s := &Source{Path: path, records: map[string]*record{}}
	return s, s.readDatabase(ctx, path)
}

// take notes a result, as an import into a database does: of an identity the one in force stays.
func (s *Source) take(run *journal.Run, r trial.Result) {
	old := s.records[r.ID]
	switch {
	case old == nil:
		old = &record{run: run}
		if s.records[r.ID] = old; r.IsRerun() {
			old.Reruns = []trial.Result{r} // of a trial that is still to come
			return
		}
		old.Result = r
	case r.IsRerun():
		known := func(o trial.Result) bool { return o.At.UnixMilli() == r.At.UnixMilli() } // as exact as a database
		if !slices.ContainsFunc(old.Reruns, known) {
			old.Reruns = append(old.Reruns, r)
		}
	case old.ID == "" || r.Precedence().Replaces(old.Precedence()):
		old.run, old.Result = run, r
	}
}

// readDatabase adds the trials and repeats of a database that are not there yet.
func (s *Source) readDatabase(ctx context.Context, path string) (err error) {
	db, err := store.OpenCurrent(ctx, path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()

	var ids []string
	runs := map[*tuner.RunInfo]*journal.Run{}
	for b, err := range db.Batches(ctx) {
		if err != nil {
			return err
		}
		if b.Run != nil && runs[b.Run] == nil {
			runs[b.Run] = &journal.Run{RunInfo: *b.Run, At: b.Started}
		}
		for _, r := range b.Results {
			if ids = append(ids, r.ID); !s.has(r.ID) {
				s.take(runs[b.Run], r)
			}
		}
	}

	repeated, err := db.Recorded(ctx, ids, trial.Full)
	if err != nil {
		return fmt.Errorf("reading repeats: %w", err)
	}
	for id, r := range repeated {
		for _, again := range r.Reruns {
			s.take(s.records[id].run, again)
		}
	}
	return nil
}

// An Other is a number of trials of a source that don't count for the sweep, and why.
type Other struct {
	Trials int    `json:"trials"`
	Why    string `json:"why"`
}

// others counts the trials of the source that are not planned, by the reason, most first.
func (m *Match) others(planned map[string]bool) (list []Other) {
	counts := map[string]int{}
	for id, r := range m.source.records {
		if r.known() && !planned[id] {
			counts[m.why(r)]++
		}
	}
	for why, n := range counts {
		list = append(list, Other{n, why})
	}
	slices.SortFunc(list, func(a, b Other) int {
		return cmp.Or(cmp.Compare(b.Trials, a.Trials), strings.Compare(a.Why, b.Why))
	})
	return list
}

// why says why a trial is not one of the sweep's.
func (m *Match) why(r *record) string {
	device, found := m.deviceOf(r)
	protocol := worker.ProtocolText(m.sweep.Protocol)
	is := func(loaded trial.Matrix) bool { return loaded.Hash == r.Matrix }
	has := func(cores int) bool { return cores == 0 || cores == r.run.Device.Units } // a task, perhaps
	switch {
	case !found && r.run.Device.Backend == "cpu" && !slices.ContainsFunc(m.cores, has):
		return fmt.Sprintf("on %s, where a task has %s", term.Count(r.run.Device.Units, "core", "cores"), m.taskCores())
	case !found:
		return "on another device: " + r.run.Device.Name
	case device.Device.Driver != r.run.Device.Driver:
		return fmt.Sprintf("with another driver or compiler: %s, and the last ones with %s", r.run.Device.Driver,
			device.Device.Driver)
	case r.run.Protocol != protocol:
		return "under another protocol: " + differences(r.run.Protocol, protocol)
	case r.Measurement != worker.Version:
		return "by a version of this program that measured differently"
	case !slices.ContainsFunc(slices.Collect(maps.Values(m.matrices)), is):
		return "of other matrices, or of another content"
	case device.Sources[r.Kernel] != "" && r.run.Sources[r.Kernel] != device.Sources[r.Kernel]:
		return "of kernels whose code has changed"
	}
	return "that the sweep does not try"
}

// deviceOf is the device of the sweep's tasks that a trial was measured on.
func (m *Match) deviceOf(r *record) (device tuner.Assumed, found bool) {
	return lists.First(slices.Concat(m.devices...), func(d tuner.Assumed) bool {
		return d.Device.Backend == r.run.Device.Backend && d.Device.Name == r.run.Device.Name
	})
}

// taskCores says how many cores a task has, of all kinds, and where that comes from.
func (m *Match) taskCores() string {
	numbers := lists.Of(slices.Compact(slices.Sorted(slices.Values(m.cores))), strconv.Itoa)
	text := strings.Join(numbers, " or ") + ": cpus in [slurm] says how many"
	if m.assumed {
		text += ", and 1 is assumed without it"
	}
	return text
}

// differences names what differs in two protocols: "samples=6..10 there, samples=6..20 here".
func differences(there, here string) string {
	a, b := strings.Fields(there), strings.Fields(here)
	only := func(list, without []string) string {
		known := func(f string) bool { return slices.Contains(without, f) }
		return strings.Join(slices.DeleteFunc(slices.Clone(list), known), " ")
	}
	return fmt.Sprintf("%s there, %s here", cmp.Or(only(a, b), "nothing else"), cmp.Or(only(b, a), "nothing else"))
}

// Give writes into a new run, of which nothing was sent yet, what it has not to measure: a journal for each
// chunk of its plan. It pins the devices and the content of matrices, as the first task would.
func (m *Match) Give(run *slurm.Run, plan slurm.Plan) error {
	if m.Adopted == 0 {
		return nil
	}
	node, _ := os.Hostname()
	task := slurm.Task{Job: slurm.AdoptedJob, Node: node}
	for kind, list := range m.devices {
		if len(list) == 0 {
			continue
		}
		found := lists.Of(list, func(d tuner.Assumed) kernels.Device { return d.Device })
		task.Chunk.Kind = kind
		if _, err := run.PinDevices(task, m.sweep.Slurm.Of(kind), found); err != nil {
			return err
		}
	}

	given := map[string]bool{} // names of matrices
	for _, c := range plan.Chunks {
		trials, end := m.chunk(c)
		if len(trials) == 0 {
			continue
		}
		name := journal.Name{Chunk: c.ID, Job: slurm.AdoptedJob}
		if err := journal.Write(run.Path(slurm.JournalsDir), name, trials, end); err != nil {
			return err
		}
		for _, p := range c.Pieces {
			given[p.Matrix] = true
		}
	}
	for name := range given {
		if err := run.PinMatrix(task, m.matrices[name]); err != nil {
			return err
		}
	}
	return nil
}

// chunk returns what a chunk has of the source, and which of its pieces are complete by that.
func (m *Match) chunk(c slurm.Chunk) (trials []journal.Trial, end journal.End) {
	end = journal.End{Reason: "adopted from " + m.source.Path, At: time.Now().UTC()}
	given := map[trial.Key]bool{}
	for _, p := range c.Pieces {
		adopted, all := m.piece(c.Kind, p)
		described := m.matrices[p.Matrix]
		piece := trial.Piece{Matrix: p.Matrix, Part: p.Part, Complete: all}
		keys := map[trial.Key]bool{}
		for _, t := range adopted {
			key := trial.KeyOf(t.ID)
			if keys[key] = true; given[key] {
				continue
			}
			given[key] = true
			r := m.source.records[t.ID]
			r.Trial = t
			trials = append(trials, journal.Trial{Run: r.run, Matrix: &described, Result: r.Result})
			for _, again := range r.Reruns {
				again.Trial = t
				trials = append(trials, journal.Trial{Run: r.run, Matrix: &described, Result: again})
			}
		}
		if piece.Reason = "not all of it was measured there"; all {
			piece.Reason, piece.IDs = "", trial.ListOf(maps.Keys(keys))
		}
		end.Pieces = append(end.Pieces, piece)
	}
	return trials, end
}
