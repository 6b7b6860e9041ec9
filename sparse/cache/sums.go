package cache

import (
	"context"
	"errors"
	"hash/crc32"

	"spmvtune/sparse"
)

// castagnoli is the polynomial of CRC-32C, for which processors have an instruction: computing
// it is faster than reading memory, while SHA-256 takes several times as long.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(piece []byte) uint32 { return crc32.Checksum(piece, castagnoli) }

// pieces is how many there are of this many bytes.
func pieces(size int64) int { return int((size + pieceSize - 1) / pieceSize) }

// An array has the memory of an array, its position in the file, and the sums of its pieces.
type array struct {
	memory []byte
	at     int64
	sums   []uint32
}

// arraysOf are row offsets, columns and values of a, in this order. sums are of all of
// them; too few or too many are an error.
func arraysOf(a *sparse.CSR[float64], l layout, sums []uint32) ([]array, error) {
	all := []array{{raw(a.RowPtr), l.rowPtr, nil}, {raw(a.ColIdx), l.colIdx, nil}, {raw(a.Val), l.val, nil}}
	for i := range all {
		n := pieces(int64(len(all[i].memory)))
		if n > len(sums) {
			return nil, errors.New("it has too few checksums")
		}
		all[i].sums, sums = sums[:n], sums[n:]
	}

	if len(sums) > 0 {
		return nil, errors.New("it has too many checksums")
	}
	return all, nil
}

// sumsOf computes the sums of a's arrays, on all cores.
func sumsOf(ctx context.Context, a *sparse.CSR[float64]) ([]uint32, error) {
	var all []uint32
	for _, memory := range [][]byte{raw(a.RowPtr), raw(a.ColIdx), raw(a.Val)} {
		sums := make([]uint32, pieces(int64(len(memory))))
		err := eachPiece(ctx, int64(len(memory)), func(lo, hi int64) error {
			sums[lo/pieceSize] = sum(memory[lo:hi])
			return nil
		})
		if err != nil {
			return nil, err
		}
		all = append(all, sums...)
	}

	return all, nil
}

// errAltered is the error of a wrong sum.
var errAltered = errors.New("the arrays do not give the checksums in the header")

// check compares the memory with the sums, on all cores. read fills a piece of the
// memory first; nil where it is filled.
func (a array) check(ctx context.Context, read func(piece []byte, at int64) error) error {
	return eachPiece(ctx, int64(len(a.memory)), func(lo, hi int64) error {
		piece := a.memory[lo:hi]
		if read != nil {
			if err := read(piece, a.at+lo); err != nil {
				return err
			}
		}

		if sum(piece) != a.sums[lo/pieceSize] {
			return errAltered
		}
		return nil
	})
}
