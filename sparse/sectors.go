package sparse

import (
	"slices"
	"sync/atomic"
)

const (
	// sectorGroup is the number of entries whose elements of x are counted together, those of
	// a warp.
	sectorGroup = 32
	// sectorColumns is the number of elements of x in float32 that a sector holds, the 32
	// bytes that a GPU moves at least.
	sectorColumns = 8
	// mostGroups is the number of groups from which on a sample of them is looked at. It
	// bounds the standard error by 31/2/√2¹⁶ < 0.061.
	mostGroups = 1 << 16
)

// SectorsPer32 returns how many distinct sectors of 8 columns 32 consecutive entries touch, in
// the order of storage: from 1 where they lie side by side to 32 where each lies alone. It is
// the mean over all groups of 32, or above 2²¹ entries over one of each of 2¹⁶ equal ranges of
// groups. A last group of fewer is left out unless there is no other; without entries it is 0.
func SectorsPer32[V Float](m *CSR[V]) float64 {
	if m.NNZ() == 0 {
		return 0
	}
	groups := max(1, m.NNZ()/sectorGroup)
	count := min(groups, mostGroups)
	var sum atomic.Int64
	eachPart(4*sectorGroup*count, func(part, parts int) {
		var mine int
		var sectors [sectorGroup]int32
		lo, hi := share(count, part, parts)
		for n := lo; n < hi; n++ {
			start := sectorGroup * pick(groups, n, count)
			mine += distinctSectors(m.ColIdx[start:min(start+sectorGroup, m.NNZ())], sectors[:0])
		}
		sum.Add(int64(mine))
	})

	return float64(sum.Load()) / float64(count)
}

// distinctSectors counts the sectors of columns, which rise but where a row ends. It uses
// the memory of sectors.
func distinctSectors(columns, sectors []int32) int {
	rising := true
	for _, j := range columns {
		sector, last := j/sectorColumns, len(sectors)-1
		if last >= 0 && sectors[last] == sector {
			continue
		}
		rising = rising && (last < 0 || sectors[last] < sector)
		sectors = append(sectors, sector)
	}

	if !rising {
		slices.Sort(sectors)
		sectors = slices.Compact(sectors)
	}
	return len(sectors)
}
