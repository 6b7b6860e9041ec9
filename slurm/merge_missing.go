package slurm

import (
	"cmp"
	"slices"
	"strings"

	"spmvtune/tuner"
	"spmvtune/tuner/journal"
)

// missing tells the chunks of the plan that are complete, by what the journals
// say at their ends, from those that are not. A chunk that was split is left out:
// its halves stand for it.
func missing(plan Plan, files []mergeFile) (complete int, missing []Missing) {
	done := map[string]map[string][]tuner.Part{} // by family and matrix
	attempts := map[string]int{}
	reasons := map[string]journal.End{} // the last of each chunk
	for _, f := range files {
		attempts[f.name.Chunk]++
		for _, end := range f.ends {
			if end.At.After(reasons[f.name.Chunk].At) {
				reasons[f.name.Chunk] = end
			}
			for _, p := range end.Pieces {
				if !p.Complete {
					continue
				}
				family := f.name.Family()
				if done[family] == nil {
					done[family] = map[string][]tuner.Part{}
				}
				done[family][p.Matrix] = append(done[family][p.Matrix], p.Part)
			}
		}
	}
	split := map[string]bool{}
	for _, c := range plan.Chunks {
		if i := strings.LastIndexByte(c.ID, '.'); i > 0 {
			split[c.ID[:i]] = true
		}
	}
	for _, c := range plan.Chunks {
		if split[c.ID] {
			continue
		}
		lacks := func(p Piece) bool { return !covered(p.Part, done[journal.Family(c.ID)][p.Matrix]) }
		if slices.ContainsFunc(c.Pieces, lacks) {
			missing = append(missing, Missing{c.ID, attempts[c.ID], reasons[c.ID].Reason, reasons[c.ID].OutOfTime})
		} else {
			complete++
		}
	}
	return complete, missing
}

// covered reports whether the parts have, together, all trials of p. Part i of n
// goes from i/n to (i+1)/n of the list of trials.
func covered(p tuner.Part, parts []tuner.Part) bool {
	before := func(a, m, b, n int) int { return cmp.Compare(a*n, b*m) } // a/m against b/n
	parts = slices.DeleteFunc(slices.Clone(parts), func(q tuner.Part) bool { return q.Of < 1 })
	slices.SortFunc(parts, func(a, b tuner.Part) int { return before(a.Index, a.Of, b.Index, b.Of) })
	from, of := p.Index, p.Of
	for _, q := range parts {
		if before(q.Index, q.Of, from, of) <= 0 && before(q.Index+1, q.Of, from, of) > 0 {
			from, of = q.Index+1, q.Of
		}
	}
	return p.Of > 0 && before(from, of, p.Index+1, p.Of) >= 0
}
