// SPDX-License-Identifier: Apache-2.0

package sparse

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"sync/atomic"

	"example.org/spmvtune/internal/base/panics"
)

// hashChunk is how many elements of an array are hashed at a time. It is part of
// the hash: changing it changes every matrix's identity.
const hashChunk = 1 << 17

// Hash returns the SHA-256, in hex, of everything that m is: sizes, value type,
// row offsets, columns, and the bits of the values. Two matrices that differ in
// any of these (−0 and 0 are different) have different hashes; where the matrix
// came from does not matter.
//
// Each array is cut into chunks of 2¹⁷ elements, little-endian; the chunks are
// hashed in parallel, and the result is the hash of the sizes and the chunks'
// digests in order. The sizes fix which digest belongs to what, so no two
// matrices give the same outer input.
func (m *CSR[V]) Hash() string {
	var zero V
	ptrs, cols := chunksOf(len(m.RowPtr)), chunksOf(len(m.ColIdx))
	digests := make([][sha256.Size]byte, ptrs+2*cols)
	var next atomic.Int64
	panics.Parts(0, workers(len(m.RowPtr)+2*len(m.ColIdx)), func(_, _, _ int) {
		buf := make([]byte, 0, hashChunk*8)
		for {
			c := int(next.Add(1)) - 1
			switch {
			case c < ptrs:
				buf, _ = binary.Append(buf[:0], binary.LittleEndian, chunk(m.RowPtr, c))
			case c < ptrs+cols:
				buf, _ = binary.Append(buf[:0], binary.LittleEndian, chunk(m.ColIdx, c-ptrs))
			case c < ptrs+2*cols:
				buf, _ = binary.Append(buf[:0], binary.LittleEndian, chunk(m.Val, c-ptrs-cols))
			default:
				return
			}
			digests[c] = sha256.Sum256(buf)
		}
	})

	outer := sha256.New()
	head := []byte("spmvtune csr 1\n")
	for _, n := range []int{m.Rows, m.Cols, m.NNZ(), binary.Size(zero)} {
		head = binary.LittleEndian.AppendUint64(head, uint64(n))
	}

	outer.Write(head)
	for i := range digests {
		outer.Write(digests[i][:])
	}
	return hex.EncodeToString(outer.Sum(nil))
}

func chunksOf(n int) int { return (n + hashChunk - 1) / hashChunk }

func chunk[T any](a []T, c int) []T {
	return a[c*hashChunk : min((c+1)*hashChunk, len(a))]
}
