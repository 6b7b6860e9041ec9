package cuda

import "container/heap"

// A lanesPacking lists the segments of a matrix as csr_lanes.cu reads them.
type lanesPacking struct {
	chunk, span, target, part []int32
	empty                     []int32 // rows without nonzeros
	row, first                []int32 // rows that are sums, and of each its first, and at the end the number of sums
}

func (p *lanesPacking) bytes() int64 {
	return 4 * int64(len(p.chunk)+len(p.span)+len(p.target)+len(p.part)+len(p.empty)+len(p.row)+len(p.first))
}

// A share is what a warp takes at a time: segments with 2^log lanes each.
type share struct {
	segments []segment
	log      int
}

// cost is about how long a share takes, in nonzeros.
func (s share) cost() int {
	n := 32
	for _, s := range s.segments {
		n += s.length()
	}
	return n
}

// packLanes deals the segments of every panel out to parts, at least one for each panel, and as many as the grid
// has blocks.
func packLanes(m *structure, panels, width, grid, longest int) *lanesPacking {
	segments, p := cutRows(m, panels, width, longest)
	shares := make([][]share, panels)
	eachShare(panels, panels, func(i, _, _ int) { shares[i] = sharesOf(byLength(segments[i])) })
	start, first := []int32{0}, []int{0}
	for _, of := range shares {
		for _, s := range of {
			start = append(start, start[len(start)-1]+int32(s.cost()))
		}
		first = append(first, len(start)-1)
	}
	for i, n := range partsOfPanels(start, first, max(grid, panels)) {
		for _, part := range deal(shares[i], n) {
			p.add(int32(i), part)
		}
	}
	p.chunk = append(p.chunk, int32(8*len(p.target)))
	return p
}

// add appends a part of a panel.
func (p *lanesPacking) add(panel int32, part []share) {
	begin := len(p.chunk)
	for _, s := range part {
		p.chunk = append(p.chunk, int32(8*len(p.target)+s.log))
		for _, s := range s.segments {
			p.span, p.target = append(p.span, s.begin, s.end), append(p.target, s.target)
		}
	}
	p.part = append(p.part, panel, int32(begin), int32(len(p.chunk)))
}

// sharesOf puts neighbours together as far as their lanes are a warp.
func sharesOf(segments []segment) []share {
	var list []share
	for len(segments) > 0 {
		n, log := 1, segments[0].log()
		for n < len(segments) {
			more := max(log, segments[n].log())
			if (n+1)<<more > warp {
				break
			}
			n, log = n+1, more
		}
		list = append(list, share{segments[:n], log})
		segments = segments[n:]
	}
	return list
}

// deal gives each share, the most expensive first, to the one of n parts that has least.
func deal(shares []share, n int) [][]share {
	hands := make(hands, n)
	for i := range hands {
		hands[i].part = i
	}
	for _, s := range shares {
		hands[0].cost += s.cost()
		hands[0].shares = append(hands[0].shares, s)
		heap.Fix(&hands, 0)
	}
	parts := make([][]share, n)
	for _, h := range hands {
		parts[h.part] = h.shares
	}
	return parts
}

// hands are parts of a panel while it is dealt out, a heap by what they have.
type hands []struct {
	cost, part int
	shares     []share
}

func (h hands) Len() int { return len(h) }
func (h hands) Less(i, j int) bool {
	return h[i].cost < h[j].cost || h[i].cost == h[j].cost && h[i].part < h[j].part
}
func (h hands) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h *hands) Push(any)     {}
func (h *hands) Pop() any     { return nil }
