// SPDX-License-Identifier: Apache-2.0

//go:build cuda

package cuda

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"unsafe"

	"gorgonia.org/cu"

	"example.org/spmvtune/kernels"
)

var _ kernels.Judge = (*product)(nil)

// A reference lies on the device, with the digest of what the host has of it.
type reference struct {
	hi, lo, bound cu.DevicePtr // lo is null if it is 0 everywhere
	digest        uint64
}

// Judge compares y with ref on the device.
func (p *product) Judge(ref kernels.Reference) (worst float64, row int, err error) {
	if err := p.usable(); err != nil {
		return 0, 0, err
	}
	if len(ref.Bound) != p.rows {
		return 0, 0, fmt.Errorf("a reference of %d rows for %d", len(ref.Bound), p.rows)
	}
	if err := p.check(); err != nil || p.rows == 0 {
		return 0, 0, err
	}
	at, err := p.b.originals.reference(ref)
	if err != nil {
		return 0, 0, err
	}
	verdicts, err := judged[verdict](p.b, judges(p.rows), "judge"+suffix(p.v), uint64(p.y), uint64(p.rows),
		uint64(at.hi), uint64(at.lo), uint64(at.bound), uint64(rand.Int32()))
	if err != nil {
		return 0, 0, p.failed(err, "comparing y with its reference")
	}
	worst, row, err = sumUp(verdicts, p.rows, at.digest)
	if errors.Is(err, kernels.ErrNoJudge) {
		p.b.originals.forget()
	}
	return worst, row, err
}

// reference puts a reference on the device the first time that it is needed. Where there is no room, others go.
func (o *originals) reference(ref kernels.Reference) (at reference, err error) {
	key := keyOf(ref.Bound, 8)
	if at, ok := o.references[key]; ok {
		return at, nil
	}
	at.digest = digestOf(ref)
	if len(o.of) > 0 && o.used+3*(8*int64(len(ref.Hi))+originalsAlign) > o.size {
		o.forget()
	}
	for _, part := range []struct {
		of []float64
		at *cu.DevicePtr
	}{{ref.Hi, &at.hi}, {ref.Lo, &at.lo}, {ref.Bound, &at.bound}} {
		if part.of == nil {
			continue
		}
		if *part.at, err = o.vector(part.of); err != nil {
			return reference{}, err
		}
	}
	o.references[key] = at
	return at, nil
}

// vector puts float64 values among the originals, once.
func (o *originals) vector(s []float64) (cu.DevicePtr, error) {
	key := keyOf(s, 8)
	if e, ok := o.of[key]; ok {
		return e.at, nil
	}
	at := o.room(8 * int64(len(s)))
	if at == 0 {
		return 0, fmt.Errorf("no room for a reference: %w", kernels.ErrNoJudge)
	}
	if err := upload[float64](o.b, at, s); err != nil {
		return 0, err
	}
	o.of[key] = original{at: at}
	return at, nil
}

// mostGathered is how many rows of y are gathered at a time.
const mostGathered = 8192

// Rows copies some rows of y, which are gathered on the device.
func (p *product) Rows(rows []int, y []float64) error {
	if err := p.usable(); err != nil {
		return err
	}
	if len(y) != len(rows) {
		return fmt.Errorf("y has %d elements for %d rows", len(y), len(rows))
	}
	for some := range slices.Chunk(rows, mostGathered) {
		if err := p.gather(some, y[:len(some)]); err != nil {
			return err
		}
		y = y[len(some):]
	}
	return p.check()
}

// gather is Rows for a few of them.
func (p *product) gather(rows []int, y []float64) error {
	b := p.b
	for i, row := range rows {
		unsafe.Slice((*int32)(b.staged(0)), len(rows))[i] = int32(row)
	}
	if err := cu.MemcpyHtoDAsync(b.room, b.staged(0), 4*int64(len(rows)), b.stream); err != nil {
		return failed(err, "copying %d rows to the device", len(rows))
	}
	to := b.room + 4*mostGathered
	if err := b.launch("reorder_gather"+suffix(p.v), ceilDiv(len(rows), gatherBlock), gatherBlock, uint64(b.room),
		uint64(p.y), uint64(to), uint64(len(rows))); err != nil {
		return err
	}
	return p.widen(y, to)
}
