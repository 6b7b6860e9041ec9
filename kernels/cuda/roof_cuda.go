// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

import (
	"math/bits"
	"slices"

	"gorgonia.org/cu"

	"example.org/spmvtune/kernels"
)

// roofBytes is how large each array of the roof is at most: far beyond any cache,
// so that every pass is cold.
const roofBytes = 4 << 30

// Roof measures bandwidth as STREAM does (McCalpin, 1995), and that of reading at
// random, see kernels.Roof. Each is the best of a pass with each of several grids, and of
// several with the fastest of them.
func (b *Backend) Roof() (kernels.Roof, error) {
	b.drop()
	b.arrays.next()
	free, _, err := cu.MemInfo()
	if err != nil {
		return kernels.Roof{}, failed(err, "asking for free memory")
	}

	bytes := min(roofBytes, b.device.Memory/8, free/4) &^ 15
	var ptrs [4]uint64 // a, b, c and a place for the sum
	for i, size := range []int64{bytes, bytes, bytes, 16} {
		p, err := b.arrays.alloc(size)
		if err != nil {
			return kernels.Roof{}, err
		}
		defer cu.MemFree(p)
		if err := failed(cu.MemsetD8Async(p, 0, size, b.stream), "zeroing"); err != nil {
			return kernels.Roof{}, err
		}
		ptrs[i] = uint64(p)
	}

	n, log := uint64(bytes/16), min(bits.Len64(uint64(bytes/8))-1, 31)
	var roof kernels.Roof
	for _, pass := range []struct {
		entry string
		bytes int64
		args  []uint64
		into  *float64
	}{
		{"roof_read", bytes, []uint64{ptrs[0], ptrs[3], n}, &roof.Read},
		{"roof_copy", 2 * bytes, []uint64{ptrs[0], ptrs[1], n}, &roof.Copy},
		{"roof_triad", 3 * bytes, []uint64{ptrs[0], ptrs[1], ptrs[2], n}, &roof.Triad},
		{"roof_gather", 8 << log, []uint64{ptrs[0], ptrs[3], uint64(log)}, &roof.Gather},
	} {
		seconds, err := b.fastest(pass.entry, pass.args)
		if err != nil {
			return kernels.Roof{}, err
		}
		*pass.into = float64(pass.bytes) / 1e9 / seconds
	}
	return roof, nil
}

// fastest is the shortest time of a streaming kernel, in seconds, over passes
// and grids.
func (b *Backend) fastest(name string, args []uint64) (least float64, err error) {
	const block, passes = 512, 6
	e, err := b.modules.entry(name)
	if err != nil {
		return 0, err
	}
	var fastest *program
	for _, perUnit := range []int{4, 4, 8, 16, 32} { // the first pass loads the kernel
		p := newProgram([]op{{function: e.f, grid: b.device.Units * perUnit, block: block, args: args}}, kernels.Stream)
		defer p.release()
		took, err := b.clock.run(p)
		if err != nil {
			return 0, failed(err, "running %s", name)
		}
		if fastest == nil || took < least {
			fastest, least = p, took
		}
	}

	var more [passes]float64
	err = b.clock.sample(fastest, more[:], 1, false)
	return min(least, slices.Min(more[:])), failed(err, "timing %s", name)
}
