package sparse

import (
	"math"
	"math/bits"
	"slices"
)

// shortRow bounds the row lengths that are counted in a table. Longer rows are
// listed one by one: there are at most nonzeros/shortRow of them.
const shortRow = 1024

// lengths collects the lengths of some rows, in integers, so that collections
// can be united in any order.
type lengths struct {
	rows    int
	min     int
	max     int
	sum     uint64
	squares uint64 // below 2⁶²: lengths and their sum are below 2³¹
	short   [shortRow]int
	long    []int32
}

func (l *lengths) add(length int32) {
	n := int(length)
	if l.rows == 0 || n < l.min {
		l.min = n
	}
	l.max = max(l.max, n)
	l.rows++
	l.sum += uint64(n)
	l.squares += uint64(n) * uint64(n)
	if n < shortRow {
		l.short[n]++
	} else {
		l.long = append(l.long, length)
	}
}

func (l *lengths) unite(o *lengths) {
	if o.rows == 0 {
		return
	}
	if l.rows == 0 || o.min < l.min {
		l.min = o.min
	}
	l.max = max(l.max, o.max)
	l.rows += o.rows
	l.sum += o.sum
	l.squares += o.squares
	for n, count := range o.short {
		l.short[n] += count
	}
	l.long = append(l.long, o.long...)
}

// mean and population standard deviation, 0 without rows.
func (l *lengths) moments() (mean, std float64) {
	if l.rows == 0 {
		return 0, 0
	}
	n := uint64(l.rows)
	// rows²·variance = rows·Σlength² − (Σlength)², exact in 128 bits, so that
	// nothing cancels however even the rows are.
	hi, lo := bits.Mul64(n, l.squares)
	sumHi, sumLo := bits.Mul64(l.sum, l.sum)
	lo, borrow := bits.Sub64(lo, sumLo, 0)
	hi, _ = bits.Sub64(hi, sumHi, borrow)
	return float64(l.sum) / float64(n), math.Sqrt(float64(hi)*0x1p64+float64(lo)) / float64(n)
}

// quantiles returns, for each percentage in increasing order, the smallest
// length that at least this share of rows does not exceed.
func (l *lengths) quantiles(percent ...int) []int {
	slices.Sort(l.long)
	out := make([]int, len(percent))
	length, seen := 0, l.short[0] // rows no longer than length
	for q, p := range percent {
		need := (l.rows*p + 99) / 100
		if short := l.rows - len(l.long); need > short {
			out[q] = int(l.long[need-short-1])
			continue
		}
		for seen < need {
			length++
			seen += l.short[length]
		}
		out[q] = length
	}
	return out
}
