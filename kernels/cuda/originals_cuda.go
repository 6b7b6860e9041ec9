// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

import (
	"time"
	"unsafe"
	"weak"

	"gorgonia.org/cu"

	"example.org/spmvtune/kernels"
)

// originals are kept on the device to be copied: arrays that were made anew for a product, each x, and
// references. They lie in memory that is allocated before all arrays of a problem, so that these lie side by side
// as they would without. What does not fit is made by the host each time.
type originals struct {
	b          *Backend
	base       cu.DevicePtr // 0: there is no room at all
	size, used int64
	of         map[any]original
	references map[vectorKey]reference
}

type original struct {
	at     cu.DevicePtr
	bytes  int64
	digest uint64
	cost   time.Duration // of making it on the host, and copying it
}

// A vectorKey names values of v bytes by the host's memory that they come from.
type vectorKey struct {
	memory weak.Pointer[float64]
	n, v   int
}

func keyOf(s []float64, v int) vectorKey { return vectorKey{weak.Make(&s[0]), len(s), v} }

// Originals get at most this part of the device's free memory, and at most so many times the size of the problem.
const (
	originalsShare = 3
	originalsTimes = 64
)

// originalsAlign is what the place of each is a multiple of.
const originalsAlign = 256

// open takes the memory for the originals of a problem. A device that has none left does without.
func (o *originals) open(b *Backend) error {
	o.b = b
	free, _, err := cu.MemInfo()
	if err != nil {
		return failed(err, "asking for free memory")
	}
	a := b.problem.A
	size := min(free/originalsShare, originalsTimes*(12*int64(a.NNZ())+16*int64(a.Rows+a.Cols)))
	size = (size/largePad + 1) * largePad // of pages that no array shares
	base, err := cu.MemAlloc(size)
	if outOfMemory(err) {
		return nil
	}
	if err == nil {
		o.base, o.size = base, size
	}
	return failed(err, "allocating %d bytes for originals", size)
}

// forget drops all originals.
func (o *originals) forget() {
	o.used, o.of, o.references = 0, map[any]original{}, map[vectorKey]reference{}
}

// close gives the memory back, and reports whether there was any.
func (o *originals) close() (bool, error) {
	base := o.base
	o.base, o.size = 0, 0
	o.forget()
	if base == 0 {
		return false, nil
	}
	return true, free(base)
}

// room takes memory for an original; 0 if there is none.
func (o *originals) room(bytes int64) cu.DevicePtr {
	at := o.used
	if o.base == 0 || bytes > o.size-at {
		return 0
	}
	o.used = at + (bytes+originalsAlign-1)/originalsAlign*originalsAlign
	return o.base + cu.DevicePtr(at)
}

// provide copies the original named key to a place, where fill makes it the first time, or again if the original is
// not what it was: some kernel has written there. It returns what making it has cost.
func (o *originals) provide(key any, to cu.DevicePtr, bytes int64, fill func(cu.DevicePtr) error) (
	time.Duration, error,
) {
	if from, ok := o.of[key]; ok && from.bytes == bytes {
		sum, err := o.copied(to, from.at, to, bytes)
		if err != nil || sum == from.digest {
			return from.cost, err
		}
	}
	start := time.Now()
	if err := fill(to); err != nil {
		return 0, err
	}
	cost := time.Since(start)
	at := o.room(bytes)
	if at == 0 {
		return cost, nil
	}
	sum, err := o.copied(at, to, to, bytes)
	o.of[key] = original{at, bytes, sum, cost}
	return cost, err
}

// copied copies bytes on the device, and returns the digest of what is then at a place.
func (o *originals) copied(to, from, of cu.DevicePtr, bytes int64) (uint64, error) {
	if bytes == 0 {
		return 0, nil
	}
	if err := cu.MemcpyDtoDAsync(to, from, bytes, o.b.stream); err != nil {
		return 0, failed(err, "copying %d bytes on the device", bytes)
	}
	return o.b.digest(of, bytes)
}

// digest is a digest of an array on the device.
func (b *Backend) digest(at cu.DevicePtr, bytes int64) (sum uint64, err error) {
	blocks := judges(int(bytes / 4))
	if blocks == 0 {
		return 0, nil
	}
	sums, err := judged[uint64](b, blocks, "judge_digest", uint64(at), uint64(bytes/4))
	for _, s := range sums {
		sum += s
	}
	return sum, err
}

// judged launches a kernel that looks at arrays, and returns what each of its blocks writes to its last
// argument.
func judged[T any](b *Backend, blocks int, entry string, args ...uint64) ([]T, error) {
	found := make([]T, blocks)
	bytes := int64(blocks) * int64(unsafe.Sizeof(found[0]))
	if err := poison(b.stream, b.room, bytes); err != nil {
		return nil, err
	}
	if err := b.launch(entry, blocks, judgeBlock, append(args, uint64(b.room))...); err != nil {
		return nil, err
	}
	err := cu.MemcpyDtoHAsync(b.staged(0), b.room, bytes, b.stream)
	if err == nil {
		err = b.stream.Synchronize()
	}
	copy(found, unsafe.Slice((*T)(b.staged(0)), blocks))
	return found, failed(err, "copying what %s found", entry)
}

// launch enqueues a kernel that is no product.
func (b *Backend) launch(entry string, grid, block int, args ...uint64) error {
	e, err := b.modules.entry(entry)
	if err != nil {
		return err
	}
	p := newProgram([]op{{function: e.f, grid: grid, block: block, args: args}}, kernels.Stream)
	defer p.release()
	return failed(p.enqueue(b.stream), "launching %s", entry)
}
