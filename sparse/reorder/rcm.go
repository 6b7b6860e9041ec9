package reorder

import (
	"cmp"
	"slices"

	"spmvtune/sparse"
)

// A graph is the pattern of A + Aᵀ as two lists of neighbours for each row. A neighbour may be
// in both lists.
type graph struct {
	rowPtr, columns       []int32 // of A
	transposePtr, sources []int32 // of Aᵀ
}

func (g *graph) degree(i int32) int32 {
	return g.rowPtr[i+1] - g.rowPtr[i] + g.transposePtr[i+1] - g.transposePtr[i]
}

// lists are the neighbours of i.
func (g *graph) lists(i int32) [2][]int32 {
	return [2][]int32{
		g.columns[g.rowPtr[i]:g.rowPtr[i+1]],
		g.sources[g.transposePtr[i]:g.transposePtr[i+1]],
	}
}

// cuthillMcKee orders the rows of m, which is square: component by component, level by level
// from a row at its rim, neighbours by rising degree.
func cuthillMcKee[V sparse.Float](m *sparse.CSR[V]) []int32 {
	n := m.Rows
	g := &graph{rowPtr: m.RowPtr, columns: m.ColIdx}
	g.transposePtr, g.sources = transposed(m)

	most := int32(0)
	for i := range int32(n) {
		most = max(most, g.degree(i))
	}
	byDegree := sorted(n, int(most)+1, func(i int) int { return int(g.degree(int32(i))) })

	w := &walk{g: g, seen: make([]int32, n)}
	order := make([]int32, 0, n)
	for _, start := range byDegree {
		if w.seen[start] == placed {
			continue
		}
		if g.degree(start) > 0 {
			start = w.rim(start)
		}
		order = w.component(order, start)
	}
	return order
}

// transposed returns the pattern of the transpose.
func transposed[V sparse.Float](m *sparse.CSR[V]) (ptr, sources []int32) {
	ptr = make([]int32, m.Cols+1)
	for _, j := range m.ColIdx {
		ptr[j+1]++
	}
	for j := range m.Cols {
		ptr[j+1] += ptr[j]
	}

	next := slices.Clone(ptr[:m.Cols])
	sources = make([]int32, m.NNZ())
	for i := range m.Rows {
		for _, j := range m.ColIdx[m.RowPtr[i]:m.RowPtr[i+1]] {
			sources[next[j]] = int32(i)
			next[j]++
		}
	}
	return ptr, sources
}

// placed marks a row that has its place. Searches for a rim use other marks.
const placed = -1

// A walk goes through a graph level by level.
type walk struct {
	g     *graph
	seen  []int32 // placed, or the number of the search that has seen the row
	turn  int32
	queue []int32
}

// rimSearches bounds the searches for a row at the rim of a component.
const rimSearches = 4

// rim returns a row of start's component that is far from others: the last one of a search from
// the last one of a search, until the levels are no more (after George and Liu, An
// implementation of a pseudoperipheral node finder, ACM TOMS 5(3), 1979).
func (w *walk) rim(start int32) int32 {
	depth := -1
	for range rimSearches {
		far, d := w.levels(start)
		if d <= depth {
			break
		}
		start, depth = far, d
	}
	return start
}

// levels searches from start. It returns a row of least degree in the last level, and the number of
// levels behind the first.
func (w *walk) levels(start int32) (far int32, depth int) {
	w.turn++
	w.queue = append(w.queue[:0], start)
	w.seen[start] = w.turn
	lo := 0
	for {
		hi := len(w.queue)
		for k := lo; k < hi; k++ {
			for _, list := range w.g.lists(w.queue[k]) {
				for _, j := range list {
					if w.seen[j] != w.turn {
						w.seen[j] = w.turn
						w.queue = append(w.queue, j)
					}
				}
			}
		}
		if len(w.queue) == hi {
			return slices.MinFunc(w.queue[lo:], w.byDegree), depth
		}
		lo, depth = hi, depth+1
	}
}

// component appends the rows of start's component.
func (w *walk) component(order []int32, start int32) []int32 {
	next := len(order)
	order = append(order, start)
	w.seen[start] = placed
	for ; next < len(order); next++ {
		first := len(order)
		for _, list := range w.g.lists(order[next]) {
			for _, j := range list {
				if w.seen[j] != placed {
					w.seen[j] = placed
					order = append(order, j)
				}
			}
		}
		slices.SortFunc(order[first:], w.byDegree)
	}
	return order
}

// byDegree compares rows by degree, then by number, so that the order is always the same.
func (w *walk) byDegree(a, b int32) int {
	return cmp.Or(cmp.Compare(w.g.degree(a), w.g.degree(b)), cmp.Compare(a, b))
}
