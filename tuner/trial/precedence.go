package trial

import "cmp"

// A Precedence is what decides which of several results is in force.
//
// Several results may claim to be the one that counts. These rules decide, everywhere:
// in a database, when databases and journals are united, and for what is learnt from
// them. None depends on the order in which results were recorded.
//
//  1. One identity, recorded several times: of results that are OK the first one stays. A
//     failure never replaces it; of several failures the latest is kept. See
//     [Precedence.Replaces]. When the latest was measured is not forgotten, see
//     [Precedence.LastRequest].
//  2. One configuration in one [Case], under several identities (its kernel, the
//     protocol or the driver has changed): the trial that a run measured last is in force,
//     or planned and found measured already. At equal times it is the one with the greater
//     identity.
//  3. A partial measurement, which a search made with few samples, is the memory of that
//     search and no more. It is never in force.
//  4. In one case, only results of the newest measurement version among the good ones
//     compete: times of different versions can't be compared. Trials that were measured
//     elsewhere, whose version is not known, always compete.
//
// Package store decides by the last three, see its decideCase.
type Precedence struct {
	ID            string // of the trial
	Status        Status
	Partial       bool  // whether a search measured it with few samples only
	At            int64 // when it was measured, in milliseconds since 1970
	LastRequested int64 // when a run last wanted it, if that was after At, else 0
	Version       int   // of the measurement; 0: measured elsewhere
}

// Precedence returns what decides whether r is in force.
func (r Result) Precedence() Precedence {
	return Precedence{ID: r.ID, Status: r.Status, Partial: r.Partial(), At: r.At.UnixMilli(),
		LastRequested: r.LastRequested, Version: r.Measurement}
}

// Partial reports whether a search measured r with few samples only.
func (r Result) Partial() bool { return r.Stop == StopSearch }

// Good reports whether s may be compared with others: it is OK and not partial.
func (s Precedence) Good() bool { return s.Status == OK && !s.Partial }

// Replaces reports whether s takes the place of old, which has the same identity.
func (s Precedence) Replaces(old Precedence) bool {
	switch {
	case old.Status == OK:
		return s.Status == OK && s.At < old.At
	case s.Status == OK:
		return true
	default:
		return cmp.Or(cmp.Compare(s.At, old.At), cmp.Compare(s.Status, old.Status)) > 0
	}
}

// LastRequest returns what LastRequested is of s once o, which has the same identity, has given way to it.
func (s Precedence) LastRequest(o Precedence) int64 {
	if last := max(s.last(), o.last()); last > s.At {
		return last
	}
	return 0
}

// last is when a run last measured s or wanted it.
func (s Precedence) last() int64 { return max(s.At, s.LastRequested) }
