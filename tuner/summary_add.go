package tuner

import (
	"cmp"
	"maps"
	"slices"
)

// Add adds what another part of the same sweep did.
func (sum *Summary) Add(part Summary) {
	sum.Device = cmp.Or(sum.Device, part.Device)
	sum.Matrices = max(sum.Matrices, part.Matrices)
	sum.Trials += part.Trials
	sum.Finished += part.Finished
	sum.OKBefore += part.OKBefore
	sum.FailedBefore += part.FailedBefore
	sum.Measured = added(sum.Measured, part.Measured)
	sum.Invalid = added(sum.Invalid, part.Invalid)
	sum.Skipped = added(sum.Skipped, part.Skipped)
	sum.Failed = append(sum.Failed, part.Failed...)
	sum.Pieces = append(sum.Pieces, part.Pieces...)
	sum.Effort.Add(part.Effort)
	sum.Crowded = cmp.Or(sum.Crowded, part.Crowded)
	sum.Finals += part.Finals
	sum.Spreads += part.Spreads
	sum.Interrupted = sum.Interrupted || part.Interrupted
	sum.OutOfTime = sum.OutOfTime || part.OutOfTime
	// A matrix is the same for every device.
	for _, f := range part.Failures {
		if !slices.ContainsFunc(sum.Failures, func(g Failure) bool { return g.Matrix == f.Matrix }) {
			sum.Failures = append(sum.Failures, f)
		}
	}

	for _, t := range part.Duplicates {
		if !slices.Contains(sum.Duplicates, t) {
			sum.Duplicates = append(sum.Duplicates, t)
		}
	}
}

// added returns the sums of the counts of a and b.
func added[K comparable](a, b map[K]int) map[K]int {
	sum := maps.Clone(a)
	if sum == nil {
		sum = map[K]int{}
	}
	for k, n := range b {
		sum[k] += n
	}
	return sum
}
