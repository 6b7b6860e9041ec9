// Package text has what all readers of matrices in text form share: the bytes of a file as
// blocks of whole lines, unpacked from gzip and from archives of the SuiteSparse collection as
// they stream by; numbers, rounded correctly; errors that name file and line; the options
// and results of a reader; and the way from entries in any order to a sorted CSR.
//
// Nothing here allocates by the line. A block ends in a newline, whatever the
// file ends in, so that a parser needs no other bound.
//
// A CSR is made on all cores at once. The rows are cut into bands, by a [Layout] that follows
// from the number of rows and entries alone. Whoever parses a piece of the file leaves its
// entries as a [Chunk], mirrored where the symmetry asks for it and distributed over the bands;
// [Header.Assemble] then sorts band by band, each in its own place in the matrix. The result does not
// depend on the number of cores: entries of the same position are added up in the order of the
// chunks, and within a chunk in that of its entries. Memory is the matrix, 12 bytes to an entry,
// and the chunks, 14 bytes to an entry after mirroring, 6 in a pattern. Only a row that is longer
// than a few entries and not in order is copied once more while it is sorted.
package text

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"spmvtune/sparse"
)

// Options say how to read a file. Start from DefaultOptions.
type Options struct {
	// Expand mirrors the stored triangle of symmetric, skew-symmetric and
	// hermitian files. Without it only the stored entries are read, as some
	// published measurements did.
	Expand bool
	// Complex says what to do with complex files: "" refuses them, "real-part"
	// drops the imaginary parts.
	Complex string
}

// RealPart is the setting of [Options.Complex] that drops imaginary parts.
const RealPart = "real-part"

// DefaultOptions expand and refuse complex files.
var DefaultOptions = Options{Expand: true}

// Check refuses unknown settings; name is the file to read, for the error.
func (o Options) Check(name string) error {
	if o.Complex != "" && o.Complex != RealPart {
		return fmt.Errorf("reading %s: unknown way to read complex values %q: use %q, or \"\" to refuse them", name,
			o.Complex, RealPart)
	}
	return nil
}

// A Matrix is a matrix and what its file said about it.
type Matrix struct {
	A *sparse.CSR[float64]

	Format   string // "coordinate", "array", "rutherford-boeing" or "edge-list"
	Field    string // "real", "integer", "pattern" or "complex"
	Symmetry string // "general", "symmetric", "skew-symmetric" or "hermitian"
	Comment  string // comment lines of the header without their mark, at most 64 KiB, or the title

	// Declared is the number of entries in the file: the count in its header or,
	// for an array, the number of values that its sizes call for.
	Declared int
	// Duplicates is how many entries, after expansion, were added to another one
	// at the same position.
	Duplicates int
	// NonFinite is how many entries in the file are NaN, infinite, or beyond the
	// range of float64 and so read as infinite.
	NonFinite int
	// Odd says in what the entries contradict the symmetry, which they are read by all the same; or "".
	Odd string
}

// A Size is the size of a matrix according to the first lines of its file.
type Size struct {
	Rows, Cols int
	Entries    int  // in the file
	Symmetric  bool // or skew-symmetric or Hermitian: only a triangle is in the file
}

// A Format is a form of file that holds a matrix. Its package declares it once; all that
// depends on the format is found from there.
type Format struct {
	// Name is what help texts call the format.
	Name string
	// Extensions are those of its files, with the dot. Files are written with the first,
	// which is also that of matrices in archives.
	Extensions []string
	// Ambiguous says that most files with the extension are something else: a glob takes
	// such a file only if the glob ends in the extension, too.
	Ambiguous bool

	// Version changes whenever the matrix that is read from some file changes, or what is
	// said of it. Matrices that an older program has kept are then read again.
	Version string
	// Starts reports whether the first bytes of a text clearly have this format.
	Starts func(start []byte) bool
	// Open reads the first lines, and returns what reads the entries; it is nil if the format is only written.
	Open func(*Source, Options) (*Header, func() (*Layout, []*Chunk, error), error)

	// Write writes a matrix; it is nil if the format is only read.
	Write func(io.Writer, *sparse.CSR[float64], Writing) error
	// Triangle says that Write can store the lower triangle of a symmetric matrix.
	Triangle bool
	// Doc is a note on how it is written, "" for none.
	Doc string
	// Loses is what the format can't hold, "" for nothing.
	Loses string
}

// Read reads a matrix to the end of s.
func (f Format) Read(s *Source, opt Options) (*Matrix, error) {
	h, read, err := f.Open(s, opt)
	if err != nil {
		return nil, err
	}
	l, chunks, err := read()
	if err != nil {
		return nil, err
	}
	return h.Assemble(l, chunks)
}

// ReadSize reads no more than the lines that give the size, or the matrix if none do.
func (f Format) ReadSize(s *Source, opt Options) (Size, error) {
	h, read, err := f.Open(s, opt)
	if err == nil && h.Unsized {
		_, _, err = read()
	}
	if err != nil {
		return Size{}, err
	}
	return Size{Rows: h.Rows, Cols: h.Cols, Entries: h.Entries, Symmetric: h.Symmetry != "general"}, nil
}

// Writing says what is known of a matrix that is written, beside its entries.
type Writing struct {
	// Name and Comment stand in the header, where the format has one.
	Name, Comment string
	// Pattern says that all values are 1; they are left out where the format allows it.
	Pattern bool
	// Symmetric says that the entries are the lower triangle of a symmetric matrix.
	Symmetric bool
}

// WriteEntries writes a line for each entry, by rows: row and column, counted from least, and, unless opt says that it is
// 1, the value. It has the fewest digits that read back to the same value, and integers have no exponent, as readers
// parse them fastest.
func WriteEntries(w io.Writer, m *sparse.CSR[float64], least int64, between byte, opt Writing) error {
	var line []byte
	for i := range m.Rows {
		cols, vals := m.Row(i)
		for k, j := range cols {
			line = append(strconv.AppendInt(line[:0], int64(i)+least, 10), between)
			line = strconv.AppendInt(line, int64(j)+least, 10)
			if !opt.Pattern {
				v, form := vals[k], byte('g')
				if v == math.Trunc(v) && math.Abs(v) < 1e15 {
					form = 'f'
				}
				line = strconv.AppendFloat(append(line, between), v, form, -1, 64)
			}
			if _, err := w.Write(append(line, '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}

// Or lists words: "a, b or c".
func Or(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + strings.Repeat(" or ", min(last, 1)) + words[last]
}

// CheckArchive reads a gzipped archive of the collection to its end, until ctx ends,
// and reports whether it is whole: the packing's checksums are right, and the matrix
// name/name with the extension, such as ".mtx", is in it. The matrix itself is not
// read.
func CheckArchive(ctx context.Context, r io.Reader, name, extension string) error {
	unzipped, err := gzip.NewReader(bufio.NewReaderSize(&Interruptible{ctx, r}, 1<<16))
	if err != nil {
		return fmt.Errorf("unpacking: %w", err)
	}
	m, err := openMember(unzipped, name, []string{extension})
	if errors.Is(err, errNoMember) {
		return fmt.Errorf("unpacking: no file %s/%s%s is in it", name, name, extension)
	}
	if err == nil {
		_, err = io.Copy(io.Discard, m)
	}
	if err != nil {
		return fmt.Errorf("unpacking: %w", err)
	}

	return nil
}

// An Error says where and why a file was refused. Reason says what to do about
// it where that is known.
type Error struct {
	File   string // as the caller named it
	Line   int    // from 1; one past the last line where the file ends too early
	Reason string
	Err    error // the cause, where reading itself failed
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Reason) }

func (e *Error) Unwrap() error { return e.Err }

// Quote shows a piece of the file, shortened, with control characters escaped.
func Quote(b []byte) string {
	const most = 40
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "…"
	}
	return strconv.Quote(string(b))
}
