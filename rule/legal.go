package rule

import (
	"math"
	"slices"

	"spmvtune/kernels"
	"spmvtune/kernels/cuda"
)

// Limits are what a matrix must be within for a configuration to be chosen for it. They are those of its
// kernel in this program; a configuration that its kernel does not have has none.
func Limits(c kernels.Config) []kernels.Limit {
	if k, ok := kernels.Lookup(c.Kernel); ok && k.Backend == "cuda" && k.Check(c) == nil {
		return cuda.Limits(c)
	}
	return nil
}

// legal reports whether a matrix is known to be within the limits of a configuration.
func (f *Subject) legal(c kernels.Config) bool {
	for _, l := range Limits(c) {
		if !l.Holds(f.value) {
			return false
		}
	}
	return true
}

// value is a feature by its name, NaN if it is not known.
func (f *Subject) value(name string) float64 {
	feature, ok := lookup(name)
	if !ok {
		return math.NaN()
	}
	return feature.Value(f)
}

// Ranking is the choice of a leaf and its runners-up, of which the first that is legal is chosen: one
// that is legal on any matrix ends it. If none is legal the choice is.
func (n *Node) Ranking() []kernels.Config {
	list := append([]kernels.Config{*n.Choice}, n.Next...)
	if sure := slices.IndexFunc(list, unlimited); sure >= 0 {
		return list[:sure+1]
	}
	return list
}

// unlimited reports whether a configuration is legal on any matrix.
func unlimited(c kernels.Config) bool { return len(Limits(c)) == 0 }

// legal lists those of a leaf's configurations that are legal on a matrix, by their places: 0 is the
// choice. If there is none it is the choice all the same.
func (n *Node) legal(f *Subject) []int {
	var list []int
	for i := range 1 + len(n.Next) {
		if f.legal(n.at(i)) {
			list = append(list, i)
		}
	}
	if list == nil {
		return []int{0}
	}
	return list
}

// at is the choice of a leaf, or its runner-up of that number.
func (n *Node) at(i int) kernels.Config {
	if i == 0 {
		return *n.Choice
	}
	return n.Next[i-1]
}

// picks are the configurations of a leaf that are legal on a matrix, the choice first.
func (n *Node) picks(f *Subject) []kernels.Config {
	var list []kernels.Config
	for _, i := range n.legal(f) {
		list = append(list, n.at(i))
	}
	return list
}
