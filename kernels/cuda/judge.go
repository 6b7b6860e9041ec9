// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"

	"example.org/spmvtune/kernels"
)

// mostJudges is how many blocks compare a y, at most, and judgeBlock how many threads each has.
const (
	mostJudges = 1024
	judgeBlock = 256
)

// judges is how many blocks compare a y of so many rows: each has a row at least.
func judges(rows int) int { return min(ceilDiv(rows, judgeBlock), mostJudges) }

// A verdict is what a block says of its rows, as in judge.cu. All its bits are 1 before, which
// makes a NaN of each number.
type verdict struct {
	worst, planted float64
	row            int64
	digest         uint64
}

// errBlind says that the kernel which compares does not see what it must see.
var errBlind = errors.New("the device does not see wrong values that were planted")

// sumUp returns the largest error of so many rows and the first row that has it, from the verdicts of all blocks and
// the digest of the reference. Every block must have found what was planted in its rows.
func sumUp(verdicts []verdict, rows int, digest uint64) (worst float64, row int, err error) {
	for _, v := range verdicts {
		digest -= v.digest
		if !(v.planted > 1) || !(v.worst >= 0) || v.row < 0 || v.row >= int64(rows) {
			err = errBlind
		}
		if v.worst > worst {
			worst, row = v.worst, int(v.row)
		}
	}
	if digest != 0 {
		return 0, 0, fmt.Errorf("the reference on the device has changed: %w", kernels.ErrNoJudge)
	}
	return worst, row, err
}

// mix is that of judge.cu.
func mix(x uint64) uint64 {
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// digestOf is the digest of a reference, of which the kernel must have read the same.
func digestOf(ref kernels.Reference) uint64 {
	var sum atomic.Uint64
	eachShare(len(ref.Hi), fewSteps, func(from, end int) {
		part := uint64(0)
		for i := from; i < end; i++ {
			low := 0.0
			if ref.Lo != nil {
				low = ref.Lo[i]
			}
			h := mix(uint64(i))
			for _, v := range [...]float64{ref.Hi[i], low, ref.Bound[i]} {
				h = mix(h ^ math.Float64bits(v))
			}
			part += h
		}
		sum.Add(part)
	})
	return sum.Load()
}
