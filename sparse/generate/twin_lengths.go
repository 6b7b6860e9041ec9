// SPDX-License-Identifier: Apache-2.0

package generate

import (
	"maps"
	"math"
	"slices"
)

// A shape is a family of distributions of row lengths, of which a mean and a standard
// deviation pick one.
type shape string

const (
	// bell is a normal distribution, cut off at the bounds.
	bell shape = "bell"
	// tail is a shifted power law, (x − min + k)^−γ, cut off at the largest length.
	tail shape = "tail"
	// head is a tail towards short rows, (max − x + k)^−γ.
	head shape = "head"
	// two is a population of even lengths up to low and one that thins out from there
	// to the largest length, (max − x)^q.
	two shape = "two"
)

// A law is a distribution of row lengths between min and max.
type law struct {
	Shape    shape
	Min, Max int
	Std      float64
	Low      int // of two: the longest row of the short ones
}

// within is the law of a smaller matrix. Its longest row takes at most half of the
// columns, and makes no more than a quarter of the variance of so few rows unless that
// were less than twice the mean. Where that makes it shorter, the variance falls in
// proportion, as that of a power law x⁻² does that is cut off.
func (l law) within(size Size) law {
	mean := size.NNZ / size.Rows
	alone := l.Std * l.Std * float64(size.Rows) / (4 * float64(l.Max))
	longest := max(1, min(l.Max, size.Cols/2, max(2*mean, int(alone))))
	l.Std *= math.Sqrt(float64(longest) / float64(l.Max))
	l.Max = longest
	return l
}

// A bin is some rows of one length.
type bin struct{ length, rows int }

// bins returns the rows by increasing length: rows of them with total entries, the
// longest of length max unless that is too many. The deviation is the law's, or as
// near as the shape gets to it. max and min give way where total asks for it, to
// 0 and cols.
func (l law) bins(rows, total, cols int) []bin {
	if rows == 0 {
		return nil
	}
	l.Max = max(0, min(l.Max, cols, total))
	l.Min = max(0, min(l.Min, l.Max, total/rows))
	lengths, weights := l.fit(float64(total) / float64(rows))

	counts := map[int]int{}
	sum, seen, taken := 0.0, 0, 0
	for k, w := range weights {
		sum += w
		upTo := min(rows, int(math.Round(sum*float64(rows))))
		counts[lengths[k]] += max(0, upTo-seen)
		taken += max(0, upTo-seen) * lengths[k]
		seen = max(seen, upTo)
	}

	counts[l.Min] += rows - seen
	taken += (rows - seen) * l.Min
	if counts[l.Max] == 0 { // the longest row is one of the commonest
		most := commonest(counts)
		counts[most]--
		counts[l.Max]++
		taken += l.Max - most
	}

	settle(counts, total-taken, l.Min, l.Max)
	settle(counts, total-sumOf(counts), 0, cols) // a no-op where the law's bounds allow total

	var out []bin
	for length, n := range counts {
		if n > 0 {
			out = append(out, bin{length, n})
		}
	}

	slices.SortFunc(out, func(a, b bin) int { return a.length - b.length })
	return out
}

// commonest returns the length that most rows have, the least of them.
func commonest(counts map[int]int) int {
	most := -1
	for length, n := range counts {
		if n > 0 && (most < 0 || n > counts[most] || n == counts[most] && length < most) {
			most = length
		}
	}
	return most
}

func sumOf(counts map[int]int) (total int) {
	for length, n := range counts {
		total += length * n
	}
	return total
}

// settle makes rows longer or shorter, all by about as much, until they have off more
// entries, or no row can change within lo and hi. One row of length hi stays.
func settle(counts map[int]int, off, lo, hi int) {
	step := 1
	if off < 0 {
		step, off = -1, -off
	}
	for off > 0 {
		lengths := slices.Sorted(maps.Keys(counts))
		if step > 0 {
			slices.Reverse(lengths) // those that move must not be met again
		}
		room := func(length int) int {
			if step > 0 {
				return hi - length
			}
			return length - lo
		}

		free := func(length int) int {
			switch n := counts[length]; {
			case room(length) <= 0:
				return 0
			case length == hi:
				return n - 1
			default:
				return n
			}
		}

		rows := 0
		for _, length := range lengths {
			rows += free(length)
		}
		if rows == 0 {
			return
		}

		share := max(1, off/rows)
		for _, length := range lengths {
			by := min(share, room(length))
			if n := min(free(length), off/max(1, by)); n > 0 {
				counts[length] -= n
				counts[length+step*by] += n
				off -= n * by
			}
		}
	}
}

// fit returns lengths and their probabilities. Every length up to 64 has its own class; beyond,
// they are 1/32 apart, each for those around it.
func (l law) fit(mean float64) (lengths []int, weights []float64) {
	for x := l.Min; x < l.Max; x += max(1, (x-l.Min)/32*min(1, (x-l.Min)/64)) {
		lengths = append(lengths, x)
	}
	lengths = append(lengths, l.Max)
	weights = make([]float64, len(lengths))

	density, aLo, aHi, bLo, bHi := l.density()
	moments := func(a, b float64) (m, s float64) {
		norm, square := 0.0, 0.0
		for k, x := range lengths {
			width := 1.0
			if 0 < k && k < len(lengths)-1 {
				width = float64(lengths[k+1]-lengths[k-1]) / 2
			}
			w := density(float64(x), a, b) * width
			weights[k] = w
			norm += w
			m += w * float64(x)
			square += w * float64(x) * float64(x)
		}

		if !(norm > 0) {
			return float64(l.Min), 0
		}
		for k := range weights {
			weights[k] /= norm
		}

		m /= norm
		return m, math.Sqrt(max(0, square/norm-m*m))
	}

	at := func(b float64) float64 { // the deviation where the mean is right
		return bisect(aLo, aHi, func(a float64) float64 { m, _ := moments(a, b); return m - mean })
	}
	b := bisect(bLo, bHi, func(b float64) float64 { _, s := moments(at(b), b); return s - l.Std })
	moments(at(b), b)
	return lengths, weights
}

// density returns the density of the lengths x. Its parameter a, from aLo to aHi, moves the
// mean, and b, from bLo to bHi, the deviation.
func (l law) density() (density func(x, a, b float64) float64, aLo, aHi, bLo, bHi float64) {
	lo, hi := float64(l.Min), float64(l.Max)
	switch l.Shape {
	case bell:
		density = func(x, a, b float64) float64 {
			far := max(0, lo-a, a-hi) // of the nearest length, which must not vanish
			return math.Exp((far*far - (x-a)*(x-a)) / 2 * math.Exp(-2*b))
		}
		aLo, aHi = lo-4*(hi-lo)-1, hi+4*(hi-lo)+1
		bLo, bHi = math.Log(0.2), math.Log(4*(hi-lo)+1)

	case tail:
		density = func(x, a, b float64) float64 { return math.Pow(1+(x-lo)*math.Exp(-a), b) }
		aLo, aHi = -12, math.Log(hi-lo+1)+6
		bLo, bHi = -60, -0.5
	case head:
		density = func(x, a, b float64) float64 { return math.Pow(1+(hi-x)*math.Exp(a), b) }
		aLo, aHi = -math.Log(hi-lo+1)-6, 300
		bLo, bHi = -60, -0.05

	case two:
		low := float64(l.Low)
		density = func(x, a, b float64) float64 {
			if x <= low {
				return 1 / (low - lo + 1)
			}
			return math.Exp(a) * math.Pow((hi-x+1)/(hi-low), -b)
		}
		aLo, aHi = -40, 20
		bLo, bHi = -40, 0
	}
	return density, aLo, aHi, bLo, bHi
}

// bisect returns where f, which increases, passes 0 between lo and hi, or the end that
// is nearer to that.
func bisect(lo, hi float64, f func(x float64) float64) float64 {
	for range 60 {
		if mid := (lo + hi) / 2; f(mid) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return (lo + hi) / 2
}

// hills writes lengths row by row, in count slopes up and as many down, so that rows
// that lie together are of nearly the same length.
func hills(bins []bin, count int, out []int32) {
	n := len(out)
	count = max(1, min(count, n))
	rank := 0
	for _, b := range bins {
		for range b.rows {
			hill, at := rank%count, rank/count
			lo := hill*(n/count) + min(hill, n%count) // the first n%count hills are longer by one
			hi := (hill+1)*(n/count) + min(hill+1, n%count)
			if at%2 == 0 {
				out[lo+at/2] = int32(b.length)
			} else {
				out[hi-1-at/2] = int32(b.length)
			}
			rank++
		}
	}
}

// shuffled writes lengths row by row, in stretches of rows of one length or nearly so.
func shuffled(bins []bin, stretch int, src source, out []int32) {
	n := len(out)
	stretch = max(1, min(stretch, n))
	parts := (n + stretch - 1) / stretch
	order := run(nil, 0, parts)
	s := src.stream(0)
	shuffle(order[:max(0, parts-1)], &s) // the last one may be short, and stays

	part, at := 0, 0
	for _, b := range bins {
		for range b.rows {
			out[int(order[part])*stretch+at] = int32(b.length)
			if at++; at == stretch {
				part, at = part+1, 0
			}
		}
	}
}
