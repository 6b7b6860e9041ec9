package foreign

import (
	"spmvtune/kernels/cuda"
	"spmvtune/store"
)

// Match assigns the counts of launches to the trials on a matrix with the same launch: entry,
// block, grid and, if the trial notes it, shared memory. If a kernel launches several entries,
// the one that reads the matrix's values counts. Counts of equal launches are averaged. Match
// returns them by the trials' identities, and the number of launches that belong to no trial.
func Match(launches []Launch, m store.Matrix, trials []store.Row) (counts map[string]store.Counts, left int) {
	counts = map[string]store.Counts{}
	used := make([]bool, len(launches))
	for _, t := range trials {
		entry := cuda.Entry(t.Config, m.Rows, m.Nonzeros)
		if entry == "" {
			continue
		}
		var same []store.Counts
		for i, l := range launches {
			if l.Entry == entry && l.Block == t.Block && (l.Grid == t.Grid || t.Grid == 0) &&
				l.Shared == sharedBytes(&t, entry, l.Shared) {
				same = append(same, l.Counts)
				used[i] = true
			}
		}
		if len(same) > 0 {
			counts[t.ID] = averaged(same)
		}
	}

	for _, u := range used {
		if !u {
			left++
		}
	}

	return counts, left
}

// sharedBytes is what a trial notes of an entry's shared memory, otherwise if it does not.
func sharedBytes(t *store.Row, entry string, otherwise int) int {
	if v, noted := cuda.Fact(t.Properties, "shared_bytes", entry); noted {
		return int(v)
	}
	return otherwise
}

// averaged is the mean of each counter, over those launches that have it.
func averaged(list []store.Counts) store.Counts {
	sum, n := store.Counts{}, map[string]float64{}
	for _, c := range list {
		for name, v := range c {
			sum[name] += v
			n[name]++
		}
	}
	for name := range sum {
		sum[name] /= n[name]
	}
	return sum
}
