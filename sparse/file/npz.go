package file

import (
	"archive/zip"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strings"

	"spmvtune/sparse"
)

// npz is scipy's archive of a CSR matrix.
var npz = format{
	Name:       "scipy's archive of a CSR matrix",
	Extensions: []string{".npz"},
	Doc:        "for scipy.sparse.load_npz",
	Write:      writeNPZ,
}

// writeNPZ writes what scipy.sparse.save_npz(…, compressed=False) writes for a
// csr_matrix: a zip archive of arrays.
func writeNPZ(w io.Writer, m *sparse.CSR[float64], _ Writing) error {
	z := zip.NewWriter(w)
	for _, a := range []struct {
		name, dtype, shape string
		write              func(io.Writer) error
	}{
		{"indices", "<i4", fmt.Sprintf("(%d,)", m.NNZ()), inPieces(m.ColIdx)},
		{"indptr", "<i4", fmt.Sprintf("(%d,)", m.Rows+1), inPieces(m.RowPtr)},
		{"format", "|S3", "()", inPieces([]byte("csr"))},
		{"shape", "<i8", "(2,)", inPieces([]int64{int64(m.Rows), int64(m.Cols)})},
		{"data", "<f8", fmt.Sprintf("(%d,)", m.NNZ()), inPieces(m.Val)},
	} {
		member, err := z.CreateHeader(&zip.FileHeader{Name: a.name + ".npy", Method: zip.Store})
		if err != nil {
			return err
		}
		if _, err := member.Write(npyHeader(a.dtype, a.shape)); err != nil {
			return err
		}
		if err := a.write(member); err != nil {
			return err
		}
	}

	return z.Close()
}

// npyHeader is that of version 1.0 of NumPy's format: the data begin at a multiple of
// 64 bytes.
func npyHeader(dtype, shape string) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", dtype, shape)
	const fixed = 10
	text += strings.Repeat(" ", (64-(fixed+len(text)+1)%64)%64) + "\n"
	head := append([]byte("\x93NUMPY\x01\x00"), byte(len(text)), byte(len(text)>>8))
	return append(head, text...)
}

// inPieces writes a little-endian.
func inPieces[T any](a []T) func(io.Writer) error {
	return func(w io.Writer) error {
		for part := range slices.Chunk(a, 1<<16) {
			if err := binary.Write(w, binary.LittleEndian, part); err != nil {
				return err
			}
		}
		return nil
	}
}
