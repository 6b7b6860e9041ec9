// SPDX-License-Identifier: Apache-2.0

package file

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"example.org/spmvtune/sparse"
)

// npz is what scipy.sparse.save_npz writes, compressed or not, of a CSR, CSC or COO matrix: a zip archive with a file
// NAME.npy for each array. The directory of the archive is at its end, so it is read from a file, not from within
// another archive.
//
// An array is a header and its elements (NumPy's documentation, numpy.lib.format). The header is a dictionary in Python,
// which is matched and never evaluated; arrays of objects, which are pickles, are refused. Indices have any type of
// integers, values any of bool, integers, float32, float64 and, on request, the real parts of complex. Columns may come
// in any order, and entries that are given twice are added up.
//
// Memory is the matrix and a working copy of its entries, 14 bytes to each, beside what the file has of them.
var npz = format{
	Name:       "scipy's archive",
	Extensions: []string{".npz"},
	Ambiguous:  true,
	Packed:     true,
	Version:    "1",
	Starts:     func(start []byte) bool { return bytes.HasPrefix(start, []byte("PK\x03\x04")) },
	Open:       openNPZ,
	Doc:        "for scipy.sparse.load_npz",
	Write:      writeNPZ,
}

// An npzReader reads the arrays of an archive, which is that of s.
type npzReader struct {
	s   *source
	zip *zip.Reader
}

// openNPZ reads what the archive in s says of the matrix, and the type of its values.
func openNPZ(s *source, opt Options) (*header, func() (*layout, []*chunk, error), error) {
	if s.file == nil {
		return nil, nil, s.errorf(1, "this is a zip archive in another archive, or not of a file: unpack it first")
	}
	info, err := s.file.Stat()
	if err != nil {
		return nil, nil, s.failure(err)
	}
	r := &npzReader{s: s}
	if r.zip, err = zip.NewReader(s.file, info.Size()); err != nil {
		return nil, nil, s.failure(err)
	}

	form, formErr := r.form()
	shape, shapeErr := r.indices("shape", 2, sparse.MaxIndex)
	data, dataErr := r.open("data", "biufc")
	if err := cmp.Or(formErr, shapeErr, dataErr); err != nil {
		return nil, nil, err
	}
	h := &header{
		Format: "npz", Field: cmp.Or(npyFields[data.kind], "integer"), Symmetry: "general", Rows: int(shape[0]), Cols: int(shape[1]),
		Entries: data.length, TypeLine: 1, SizeLine: 1,
	}
	return h, func() (*layout, []*chunk, error) {
		l := h.layout(opt)
		chunks, err := r.entries(form, l, data)
		return l, chunks, err
	}, h.check(s, opt)
}

// npzForms are the forms of a matrix that are read, as scipy names them, and the arrays that say in which rows and columns
// the entries are.
var npzForms = map[string][2]string{"csr": {"indptr", "indices"}, "csc": {"indices", "indptr"}, "coo": {"row", "col"}}

// form is that of the matrix.
func (r *npzReader) form() (string, error) {
	a, err := r.open("format", "SU")
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(a.r, 64))
	if err != nil {
		return "", r.s.failure(err)
	}
	text = bytes.ReplaceAll(text, []byte("\x00"), nil) // a letter has one byte or four
	if _, read := npzForms[string(text)]; !read {
		return "", r.s.errorf(1, "the matrix has the format %s: csr, csc and coo are read; save A.tocsr()", quote(text))
	}
	return string(text), nil
}

// entries reads the matrix, whose values are data.
func (r *npzReader) entries(form string, l *layout, data *npyArray) ([]*chunk, error) {
	n := data.length
	var at [2][]int32 // the rows and columns of the entries
	for k, size := range []int{l.Rows, l.Cols} {
		var err error
		if name := npzForms[form][k]; name != "indptr" {
			at[k], err = r.indices(name, n, size-1)
		} else if at[k], err = r.indices(name, size+1, n); err == nil {
			starts := at[k]
			if starts[0] != 0 || !slices.IsSorted(starts) || int(starts[size]) != n {
				return nil, r.s.errorf(1,
					"indptr.npy has to go up from 0 to %d, the length of data.npy; A.prune() cuts off what is behind", n)
			}
			at[k] = outerIndices(nil, starts, 0, n)
		}
		if err != nil {
			return nil, err
		}
	}
	val, err := r.read(data)
	return eachPart(len(val), func(from, to int) *chunk {
		return l.chunk(at[0][from:to], at[1][from:to], val[from:to])
	}), err
}

// indices reads an array of so many whole numbers from 0 to most.
func (r *npzReader) indices(name string, length, most int) ([]int32, error) {
	a, err := r.open(name, "iu")
	if err != nil {
		return nil, err
	}
	if a.length != length {
		return nil, r.s.errorf(1, "%s.npy has %d elements, and has to have %d", name, a.length, length)
	}
	list, err := r.read(a)
	out := make([]int32, len(list))
	for k, x := range list {
		if x < 0 || x > float64(most) {
			return nil, r.s.errorf(1, "element %d of %s.npy is %.0f, and not from 0 to %d", k, name, x, most)
		}
		out[k] = int32(x)
	}
	return out, err
}

// An npyArray is an array whose header was read.
type npyArray struct {
	name   string
	r      io.Reader // of the elements
	kind   string    // of the elements, NumPy's letter
	size   int       // of an element, in bytes
	length int       // elements
	floats func(b []byte, n int, order binary.ByteOrder) []float64
	order  binary.ByteOrder
}

// npyMagic begins an array in version 1.0 of NumPy's format, which is that of all but structures with many names.
const npyMagic = "\x93NUMPY\x01\x00"

// npyHeader matches the header of an array of at most one dimension: the order of bytes, the kind and size of an element,
// and how many there are.
var npyHeader = regexp.MustCompile(
	`^\{'descr': '([<>|])([a-zA-Z])(\d{1,2})', 'fortran_order': \w+, 'shape': \((?:(\d{1,10}),)?\), *\}\s*$`)

// npyTypes reads the types of numbers. Indices are float64 on their way, too: it has every whole number up to 2^53.
var npyTypes = map[string]func(b []byte, n int, order binary.ByteOrder) []float64{
	"b1": floatsOf[uint8], "i1": floatsOf[int8], "i2": floatsOf[int16], "i4": floatsOf[int32], "i8": floatsOf[int64],
	"u1": floatsOf[uint8], "u2": floatsOf[uint16], "u4": floatsOf[uint32], "u8": floatsOf[uint64],
	"f4": floatsOf[float32], "f8": floatsOf[float64], "c8": realsOf[float32], "c16": realsOf[float64],
}

// npyFields are what headers say of other values than integers.
var npyFields = map[string]string{"f": "real", "c": "complex"}

type npyNumber interface {
	int8 | int16 | int32 | int64 | uint8 | uint16 | uint32 | uint64 | float32 | float64
}

// floatsOf returns the n numbers in b.
func floatsOf[T npyNumber](b []byte, n int, order binary.ByteOrder) []float64 {
	list, out := make([]T, n), make([]float64, n)
	binary.Decode(b, order, list) // b has as many
	for k, x := range list {
		out[k] = float64(x)
	}
	return out
}

// realsOf returns the real parts of the n complex numbers in b.
func realsOf[T npyNumber](b []byte, n int, order binary.ByteOrder) []float64 {
	both := floatsOf[T](b, 2*n, order)
	for k := range n {
		both[k] = both[2*k]
	}
	return both[:n]
}

// open reads the header of an array whose elements are of one of some kinds, which are NumPy's letters.
func (r *npzReader) open(name, kinds string) (*npyArray, error) {
	f, err := r.zip.Open(name + ".npy")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, r.s.errorf(1, "this zip archive has no %s.npy, as scipy.sparse.save_npz writes it: unpack the matrix first",
			name)
	}
	if err != nil {
		return nil, r.s.failure(err)
	}
	start := make([]byte, len(npyMagic)+2)
	_, err = io.ReadFull(f, start)
	text := make([]byte, binary.LittleEndian.Uint16(start[len(npyMagic):]))
	if err == nil {
		_, err = io.ReadFull(f, text)
	}
	if err != nil {
		return nil, r.s.failure(err)
	}

	m := npyHeader.FindStringSubmatch(string(text))
	if !bytes.HasPrefix(start, []byte(npyMagic)) || m == nil || !strings.Contains(kinds, m[2]) ||
		npyTypes[m[2]+m[3]] == nil && m[2] != "S" && m[2] != "U" {
		return nil, r.s.errorf(1, "%s.npy is %s: it has to be a row of bool, integers, float32, float64 or complex; Python's "+
			"objects are not read", name, quote(text))
	}
	a := &npyArray{name: name, r: f, kind: m[2], floats: npyTypes[m[2]+m[3]], order: binary.LittleEndian}
	a.size, _ = strconv.Atoi(m[3]) // digits
	a.length, _ = strconv.Atoi(cmp.Or(m[4], "1"))
	if m[1] == ">" {
		a.order = binary.BigEndian
	}
	return a, nil
}

// read reads the elements of an array, as numbers. It takes memory for what is there, whatever the header says.
func (r *npzReader) read(a *npyArray) ([]float64, error) {
	text, err := io.ReadAll(io.LimitReader(a.r, int64(a.length*a.size)+1))
	switch left := a.length*a.size - len(text); {
	case err != nil:
		return nil, r.s.failure(err)
	case left < 0:
		return nil, r.s.errorf(1, "%s.npy goes on behind its %d elements", a.name, a.length)
	case left > 0:
		return nil, r.s.errorf(1, "%s.npy ends before its %d elements", a.name, a.length)
	}
	return a.floats(text, a.length, a.order), nil
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
		if _, err := member.Write(headerOf(a.dtype, a.shape)); err != nil {
			return err
		}
		if err := a.write(member); err != nil {
			return err
		}
	}

	return z.Close()
}

// headerOf is that of version 1.0 of NumPy's format: the data begin at a multiple of
// 64 bytes.
func headerOf(dtype, shape string) []byte {
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': %s, }", dtype, shape)
	const fixed = 10
	text += strings.Repeat(" ", (64-(fixed+len(text)+1)%64)%64) + "\n"
	head := append([]byte(npyMagic), byte(len(text)), byte(len(text)>>8))
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
