package configs

import (
	"fmt"
	"iter"
	"slices"

	"spmvtune/kernels"
)

// A Space is the product of all choices for some kernels, less what Where
// refuses. Expand lists it, Keep applies Where.
type Space struct {
	Kernels    []string
	Precisions []kernels.Precision
	// Block lists block sizes; nil stands for one that suits the kernel.
	Block []int
	// Grid is ignored, as Block is, by kernels without that choice.
	Grid Grid
	// Params has the values of parameters by name; a missing one has its default.
	Params map[string][]string
	// Where is an expression over block, grid, the parameters, kernel, precision, rows, cols
	// and nnz.
	Where string
	// Own is the kernel that the section defines, nil if it names those of the catalogue.
	Own *kernels.Own

	filter *filter // Where, compiled; nil: not yet
}

// Grid lists grid sizes, some of which depend on the device.
type Grid struct {
	// Values are grid sizes as they are.
	Values []int
	// PerSM are grid sizes times the device's units.
	PerSM []int
	// Auto stands for 1, 2, …, cores on a CPU, and for 1, 2, 4, 8 and 16 blocks per
	// multiprocessor on a GPU.
	Auto bool
}

// autoPerSM are the grids of "auto" on a GPU, in blocks per multiprocessor: from one block to
// enough waiting blocks to hide the end of the longest.
var autoPerSM = []int{1, 2, 4, 8, 16}

// gpuBlock is the default block on a GPU: 256 threads are legal for every kernel and fill a
// multiprocessor evenly.
const gpuBlock = 256

// cpuBlocks are the defaults of the processor's kernels. 16384 nonzeros are 200 to 260 KB,
// which a second-level cache holds; 1024 rows are about as much where rows have a dozen
// nonzeros; 8 rows side by side keep the processor's adders busy without much padding.
var cpuBlocks = map[string]int{"cpu_coo_chunks": 16384, "cpu_csr_rows": 1024, "cpu_sell": 8}

// Expand gives the configurations of s on a device with this many units (multiprocessors, or
// cores that can be used), each once: kernel by kernel, then by precision, parameters, block
// and grid, in the order of the file. A kernel without a choice of block or grid has 0 for it,
// so that the values given for its neighbours collapse to one configuration. Parameters are
// complete: defaults are spelled out; configurations share them, so they must not be changed.
// Configurations that Kernel.Check or Where refuse are still among them.
func (s Space) Expand(units int) iter.Seq[kernels.Config] {
	return func(yield func(kernels.Config) bool) {
		for _, name := range distinctValues(s.Kernels) {
			k, ok := s.Lookup(name)
			if !ok {
				continue // only in a Space that Parse has not seen
			}
			blocks, grids, settings := distinctValues(s.blocks(k)), distinctValues(s.grids(k, units)), s.settings(k)

			for _, precision := range distinctValues(s.Precisions) {
				for _, params := range settings {
					for _, block := range blocks {
						for _, grid := range grids {
							if !yield(kernels.Config{Kernel: name, Precision: precision, Block: block, Grid: grid,
								Params: params}) {
								return
							}
						}
					}
				}
			}
		}
	}
}

// distinctValues returns each value of a list once, in the order in which they come
// first.
func distinctValues[T comparable](list []T) []T {
	var out []T
	seen := map[T]bool{}
	for _, v := range list {
		if !seen[v] {
			seen[v] = true
			out = append(out, v)
		}
	}
	return out
}

// blocks returns the block sizes of k, 0 if it has no choice.
func (s Space) blocks(k kernels.Kernel) []int {
	switch {
	case k.Block == "":
		return []int{0}
	case len(s.Block) > 0:
		return s.Block
	case k.Backend == "cpu":
		return []int{cpuBlocks[k.Name]}
	default:
		return []int{gpuBlock}
	}
}

// grids returns the grid sizes of k, 0 if it has no choice.
func (s Space) grids(k kernels.Kernel, units int) []int {
	if k.Grid == "" {
		return []int{0}
	}
	out := slices.Clone(s.Grid.Values)
	perSM := s.Grid.PerSM
	if s.Grid.Auto && k.Backend == "cpu" {
		for workers := range units {
			out = append(out, workers+1)
		}
	} else if s.Grid.Auto {
		perSM = autoPerSM
	}

	for _, n := range perSM {
		out = append(out, n*units)
	}
	return out
}

// settings returns the product of k's parameters, complete.
func (s Space) settings(k kernels.Kernel) []kernels.Params {
	all := []kernels.Params{k.Complete("")}
	for _, p := range k.Choices() {
		chosen := s.Params[p.Name]
		if len(chosen) == 0 {
			continue
		}
		var next []kernels.Params

		for _, base := range all {
			for _, value := range distinctValues(chosen) {
				next = append(next, k.Complete(base.With(p.Name, value)))
			}
		}
		all = next
	}

	return all
}

// Keep reports whether Where keeps c on a matrix of that size. Without Where, it keeps
// everything. An error means that the expression could not be evaluated, as when it divides by
// zero.
func (s Space) Keep(c kernels.Config, rows, cols, nnz int) (bool, error) {
	if s.Where == "" {
		return true, nil
	}
	f := s.filter
	if f == nil {
		var chosen []kernels.Kernel
		for _, name := range s.Kernels {
			if k, ok := s.Lookup(name); ok {
				chosen = append(chosen, k)
			}
		}

		var err error
		if f, err = newFilter(s.Where, variables(chosen)); err != nil {
			return false, fmt.Errorf("compiling where: %s", message(err))
		}
	}

	return f.keep(c, rows, cols, nnz)
}
