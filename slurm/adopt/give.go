package adopt

import (
	"maps"
	"os"
	"time"

	"spmvtune/kernels"
	"spmvtune/slurm"
	"spmvtune/tuner/journal"
	"spmvtune/tuner/trial"
)

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
		var found []kernels.Device
		for _, d := range list {
			found = append(found, d.Device)
		}
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
			for _, again := range r.Repeats {
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
