package sparse

import "slices"

// shortRow bounds the row lengths that are counted in a table. Longer rows are
// listed one by one: there are at most nonzeros/shortRow of them.
const shortRow = 1024

// lengths counts rows by their length. Counts can be united in any order.
type lengths struct {
	short [shortRow]int
	long  []int32
}

func (l *lengths) add(length int32) {
	if length < shortRow {
		l.short[length]++
	} else {
		l.long = append(l.long, length)
	}
}

func (l *lengths) unite(o *lengths) {
	for n, count := range o.short {
		l.short[n] += count
	}
	l.long = append(l.long, o.long...)
}

// histogram lists the lengths that occur, in rising order.
func (l *lengths) histogram() histogram {
	var h histogram
	for n, count := range l.short {
		if count > 0 {
			h = append(h, bin{n, count})
		}
	}

	slices.Sort(l.long)
	for _, n := range l.long {
		if last := len(h) - 1; last >= 0 && h[last].length == int(n) {
			h[last].rows++
		} else {
			h = append(h, bin{int(n), 1})
		}
	}

	return h
}
