package cluster

import (
	"spmvtune/slurm"
	"spmvtune/tuner"
	"spmvtune/tuner/trial"
)

// A ledger is what one run of the tuner, on one device, says at its end. That of a
// run that was not begun is empty.
type ledger struct{ tuner.Summary }

// lacks says why not all trials of a piece that are for this device are in a
// journal; "" if they are. The run may have had a share of the piece, or more.
func (l *ledger) lacks(p slurm.Piece) string {
	reason := "not begun"
	for _, q := range l.Pieces {
		if q.Matrix != p.Matrix || !p.Part.Overlaps(q.Part) {
			continue
		}
		if !q.Complete {
			return q.Reason
		}
		reason = ""
	}
	return reason
}

// shares is the share of worker i, from 0, of n in every one of some pieces.
func shares(pieces []slurm.Piece, i, n int) []slurm.Piece {
	list := make([]slurm.Piece, len(pieces))
	for k, p := range pieces {
		list[k] = slurm.Piece{Matrix: p.Matrix, Part: p.Share(i, n)}
	}
	return list
}

// partsOf are pieces as the tuner takes them.
func partsOf(pieces []slurm.Piece) map[string][]trial.Part {
	parts := map[string][]trial.Part{}
	for _, p := range pieces {
		parts[p.Matrix] = append(parts[p.Matrix], p.Part)
	}
	return parts
}

// account says of pieces whether all their trials are in a journal, on all devices
// that there is a ledger of, and why the first that is not complete is not. Where
// there is no ledger, nothing was begun.
func account(pieces []slurm.Piece, ledgers []*ledger) (list []trial.Piece, complete int, lacks string) {
	if len(ledgers) == 0 {
		ledgers = []*ledger{{}}
	}
	for _, p := range pieces {
		reason := ""
		for _, l := range ledgers {
			if reason == "" {
				reason = l.lacks(p)
			}
		}
		list = append(list, trial.Piece{Matrix: p.Matrix, Part: p.Part, Complete: reason == "", Reason: reason})
		switch {
		case reason == "":
			complete++
		case lacks == "":
			lacks = p.Matrix + ": " + reason
		}
	}
	return list, complete, lacks
}

// sumOf is what all runs of a task did.
func sumOf(ledgers []*ledger) (sum tuner.Summary) {
	for _, l := range ledgers {
		sum.Add(l.Summary)
	}
	return sum
}
