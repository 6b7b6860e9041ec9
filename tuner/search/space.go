// SPDX-License-Identifier: Apache-2.0

package search

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/kernels"
)

// A Space is what may be tried on one matrix in one precision and cache state: the
// configurations that constraints left over. It does not change.
type Space struct {
	Configs []kernels.Config
	// Expected is what is thought of each configuration; nil: nothing. Strategies other than Tune ignore it.
	Expected []Expectation

	kernels  [][]int     // configurations of each kernel; kernels as they come first
	kernel   []int16     // of each configuration
	coords   [][]float64 // of each configuration along the axes: block, grid, and the parameters by name
	values   [][]float64 // that occur along each axis, in order
	ranks    [][]int16   // along each axis, of each configuration: indices in values
	adjacent [][]int     // see Adjacent
}

// absent is the coordinate along an axis that a kernel does not have: lower than any
// other.
const absent = -1

// NewSpace returns the space of these configurations, which are all different.
func NewSpace(configs []kernels.Config) *Space {
	s := &Space{Configs: configs, kernel: make([]int16, len(configs))}
	// Precisions are kept apart where they meet, as if they were kernels.
	s.kernels = lists.Groups(lists.Indices(len(configs)), func(i int) string {
		return configs[i].Kernel + " " + string(configs[i].Precision)
	})
	for k, list := range s.kernels {
		for _, i := range list {
			s.kernel[i] = int16(k)
		}
	}

	s.locate()
	s.connect()
	return s
}

// locate finds the coordinates of each configuration: the logarithms of block and grid
// and, for each parameter, that of its value. Of a parameter with values that are no
// numbers it is the rank of the value.
func (s *Space) locate() {
	values := map[string]map[string]bool{} // by parameter
	for _, c := range s.Configs {
		for name, v := range c.Params.All() {
			if values[name] == nil {
				values[name] = map[string]bool{}
			}
			values[name][v] = true
		}
	}

	names := slices.Sorted(maps.Keys(values))
	ranks := map[string]map[string]float64{}
	for _, name := range names {
		ranks[name] = rank(slices.Sorted(maps.Keys(values[name])))
	}

	s.coords = make([][]float64, len(s.Configs))
	for i, c := range s.Configs {
		at := []float64{size(c.Block), size(c.Grid)}
		for _, name := range names {
			v, ok := c.Params.Get(name)
			if !ok {
				at = append(at, absent)
				continue
			}
			at = append(at, ranks[name][v])
		}
		s.coords[i] = at
	}

	s.values = make([][]float64, 2+len(names))
	for axis := range s.values {
		for _, at := range s.coords {
			s.values[axis] = append(s.values[axis], at[axis])
		}
		slices.Sort(s.values[axis])
		s.values[axis] = slices.Compact(s.values[axis])
	}

	s.ranks = make([][]int16, len(s.values))
	for axis := range s.ranks {
		s.ranks[axis] = make([]int16, len(s.Configs))
		for i, at := range s.coords {
			r, _ := slices.BinarySearch(s.values[axis], at[axis])
			s.ranks[axis][i] = int16(r)
		}
	}
}

// size returns the coordinate of a block or grid size; 0 stands for none.
func size(n int) float64 {
	if n <= 0 {
		return absent
	}
	return math.Log2(float64(n))
}

// rank returns the coordinates of a parameter's values.
func rank(values []string) map[string]float64 {
	coords := map[string]float64{}
	for i, v := range values {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || !(n >= 0) || math.IsInf(n, 0) {
			for j, w := range values {
				coords[w] = float64(j)
			}
			return coords
		}
		coords[values[i]] = math.Log2(1 + n)
	}

	return coords
}

// connect finds the configurations that are one step along one axis apart: all their
// other choices are the same, and no value in between occurs with these.
func (s *Space) connect() {
	s.adjacent = make([][]int, len(s.Configs))
	for axis := range s.values {
		rows := map[string][]int{} // configurations that differ along this axis only
		for i, at := range s.coords {
			if at[axis] == absent {
				continue
			}
			others := make([]int16, len(s.ranks))
			for other, ranks := range s.ranks {
				if other != axis {
					others[other] = ranks[i]
				}
			}
			key := fmt.Sprint(s.kernel[i], others)
			rows[key] = append(rows[key], i)
		}
		for _, key := range slices.Sorted(maps.Keys(rows)) {
			row := rows[key]
			slices.SortFunc(row, func(a, b int) int { return cmp.Compare(s.coords[a][axis], s.coords[b][axis]) })
			for n := range len(row) - 1 {
				a, b := row[n], row[n+1]
				s.adjacent[a] = append(s.adjacent[a], b)
				s.adjacent[b] = append(s.adjacent[b], a)
			}
		}
	}

	for i := range s.Configs { // a constraint may leave one without neighbours
		if len(s.adjacent[i]) == 0 {
			if near := s.nearest(i, int(s.kernel[i])); near >= 0 {
				s.adjacent[i] = append(s.adjacent[i], near)
				s.adjacent[near] = append(s.adjacent[near], i)
			}
		}
	}
}

// Adjacent returns the neighbours of a configuration that have its kernel: one parameter,
// the block size or the grid size is one step away along the values that occur.
func (s *Space) Adjacent(config int) []int { return s.adjacent[config] }

// Neighbours returns the adjacent configurations and, of each other kernel, the one whose
// block, grid and parameters are nearest.
func (s *Space) Neighbours(config int) []int {
	list := slices.Clone(s.adjacent[config])
	for k := range s.kernels {
		if k != int(s.kernel[config]) {
			list = append(list, s.nearest(config, k))
		}
	}
	return list
}

// nearest returns the configuration of a kernel that is nearest to the given one and
// differs from it; -1 if there is none.
func (s *Space) nearest(config, kernel int) int {
	best, least := -1, math.Inf(1)
	for _, other := range s.kernels[kernel] {
		if other == config {
			continue
		}
		if d := s.distance(config, other); d < least {
			best, least = other, d
		}
	}

	return best
}

// distance returns how far apart two configurations are, along the axes that both have.
func (s *Space) distance(a, b int) float64 {
	sum := 0.0
	for axis, v := range s.coords[a] {
		if w := s.coords[b][axis]; v != absent && w != absent {
			sum += math.Abs(v - w)
		}
	}
	return sum
}
