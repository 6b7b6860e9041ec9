package cluster

import (
	"spmvtune/slurm"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// A ledger is what one run of the tuner, on one backend, says at its end. It is empty if the run
// has not begun.
type ledger struct{ tuner.Summary }

// has lists the trials of a piece on this backend that are in a journal. lacks says why these are not
// all; "" if they are. Each GPU of the run may have measured a share of the piece.
func (l *ledger) has(p slurm.Piece) (ids []trial.IDs, lacks string) {
	lacks = "not begun"
	for _, q := range l.Pieces {
		if q.Matrix != p.Matrix || !p.Part.Overlaps(q.Part) {
			continue
		}
		if !q.Complete {
			return nil, q.Reason
		}
		ids, lacks = append(ids, q.IDs), ""
	}

	return ids, lacks
}

// partsOf returns pieces in the form of the tuner.
func partsOf(pieces []slurm.Piece) map[string][]trial.Part {
	parts := map[string][]trial.Part{}
	for _, p := range pieces {
		parts[p.Matrix] = append(parts[p.Matrix], p.Part)
	}
	return parts
}

// account says which pieces are complete on all backends that have a ledger. lacks says why the
// first incomplete one is not. Without ledgers, nothing has begun.
func account(pieces []slurm.Piece, ledgers []*ledger) (list []trial.Piece, complete int, lacks string) {
	if len(ledgers) == 0 {
		ledgers = []*ledger{{}}
	}
	for _, p := range pieces {
		reason := ""
		var ids []trial.IDs
		for _, l := range ledgers {
			if reason == "" {
				var some []trial.IDs
				some, reason = l.has(p)
				ids = append(ids, some...)
			}
		}

		end := trial.Piece{Matrix: p.Matrix, Part: p.Part, Complete: reason == "", Reason: reason}
		if end.Complete {
			end.IDs = trial.Unite(ids...)
		}
		list = append(list, end)
		switch {
		case reason == "":
			complete++
		case lacks == "":
			lacks = p.Matrix + ": " + reason
		}
	}

	return list, complete, lacks
}

// sumOf adds up what all runs of a task did.
func sumOf(ledgers []*ledger) (sum tuner.Summary) {
	for _, l := range ledgers {
		sum.Add(l.Summary)
	}
	return sum
}
