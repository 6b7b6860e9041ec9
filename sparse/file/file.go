// SPDX-License-Identifier: Apache-2.0

// Package file reads and writes matrices in files, whatever their format: Matrix Market
// (mtx.go), Rutherford-Boeing (rb.go), edge lists (snap.go), and scipy's archives (npz.go). Files are plain,
// gzipped, or in an archive of the SuiteSparse collection.
// What declares a format says all else about it.
//
// The format follows from how the text starts where that leaves no doubt, and from the
// extension of the name, or of the member of the archive, where it does not. Packed files
// are recognised by their content.
//
// All readers share the way: a source hands out the bytes of a file as blocks of whole lines, unpacked as they stream
// by; a header says what to expect; the blocks become entries, on all cores at once; and these become a sorted CSR.
// Nothing is allocated by the line, or on the word of a header: memory grows with the data that was read. Numbers are
// rounded correctly. Every refusal is an [*Error] with file, line and reason.
//
// A CSR is made on all cores at once. The rows are cut into bands, by a [layout] that follows
// from the number of rows and entries alone. Whoever parses a piece of the file leaves its
// entries as a [chunk], mirrored where the symmetry asks for it and distributed over the bands;
// [header.assemble] then sorts band by band, each in its own place in the matrix. The result does not
// depend on the number of cores: entries of the same position are added up in the order of the
// chunks, and within a chunk in that of its entries. Memory is the matrix, 12 bytes to an entry,
// and the chunks, 14 bytes to an entry after mirroring, 6 in a pattern. Only a row that is longer
// than a few entries and not in order is copied once more while it is sorted.
package file

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/sparse"
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

// check refuses unknown settings; name is the file to read, for the error.
func (o Options) check(name string) error {
	if o.Complex != "" && o.Complex != RealPart {
		return fmt.Errorf("reading %s: unknown way to read complex values %q: use %q, or \"\" to refuse them", name,
			o.Complex, RealPart)
	}
	return nil
}

// A Matrix is a matrix and what its file said about it.
type Matrix struct {
	A *sparse.CSR[float64]

	Format   string // "coordinate", "array", "rutherford-boeing", "edge-list" or "npz"
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

// Read reads the file at path until ctx ends. A file that breaks its format gives
// an *Error.
func Read(ctx context.Context, path string, opt Options) (*Matrix, error) {
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	defer context.AfterFunc(ctx, func() { f.Close() })()
	m, err := Decode(f, path, opt)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}

	return m, err
}

// Decode reads a matrix from r, which it reads to the end. name is what errors
// call it, and what has the extension.
func Decode(r io.Reader, name string, opt Options) (*Matrix, error) {
	if err := opt.check(name); err != nil {
		return nil, err
	}
	s, err := newSource(r, name, members...)
	if err != nil {
		return nil, err
	}
	return formatOf(s).read(s, opt)
}

// read reads a matrix to the end of s.
func (f format) read(s *source, opt Options) (*Matrix, error) {
	h, read, err := f.Open(s, opt)
	if err != nil {
		return nil, err
	}
	l, chunks, err := read()
	if err != nil {
		return nil, err
	}
	return h.assemble(l, chunks)
}

// A format is a form of file that holds a matrix. It is declared once, in a file of its
// own; all that depends on the format is found from there.
type format struct {
	// Name is what help texts call the format.
	Name string
	// Extensions are those of its files, with the dot. Files are written with the first,
	// which is also that of matrices in archives.
	Extensions []string
	// Ambiguous says that most files with the extension are something else: a glob takes
	// such a file only if the glob ends in the extension, too.
	Ambiguous bool
	// Packed says that the files are archives themselves: they are neither gzipped nor in archives.
	Packed bool

	// Version changes whenever the matrix that is read from some file changes, or what is
	// said of it. Matrices that an older program has kept are then read again.
	Version string
	// Starts reports whether the first bytes of a text clearly have this format.
	Starts func(start []byte) bool
	// Open reads the first lines, and returns what reads the entries.
	Open func(*source, Options) (*header, func() (*layout, []*chunk, error), error)

	// Write writes a matrix; it is nil if the format is only read.
	Write func(io.Writer, *sparse.CSR[float64], Writing) error
	// Triangle says that Write can store the lower triangle of a symmetric matrix.
	Triangle bool
	// Doc is a note on how it is written, "" for none.
	Doc string
	// Loses is what the format can't hold, "" for nothing.
	Loses string
}

// formats are all forms of files. A text that could be any of them is read as the first.
var formats = []format{
	mtx,
	rb,
	snap,
	npz,
}

// Version changes whenever the matrix that is read from some file changes, so that a
// matrix that an older program has kept is not mistaken for it.
var Version = strings.Join(lists.Of(formats, func(f format) string { return f.Version }), ",")

// members are the extensions of matrices in archives.
var members = lists.Of(lists.Where(formats, func(f format) bool { return !f.Packed }),
	func(f format) string { return f.Extensions[0] })

// formatOf tells the format of a text by its first bytes or else by its extension.
func formatOf(s *source) format {
	for _, f := range formats {
		if f.Starts(s.start) {
			return f
		}
	}

	for _, f := range formats {
		if slices.Contains(f.Extensions, s.Extension) {
			return f
		}
	}
	return formats[0]
}

// Names names the formats that are read, with their extensions: "Matrix Market (.mtx,
// .mm), … or edge list (.txt)".
func Names() string {
	return term.Or(lists.Of(formats, func(f format) string {
		return fmt.Sprintf("%s (%s)", f.Name, strings.Join(f.Extensions, ", "))
	}))
}

// Extensions are the endings of the names of matrix files.
var Extensions = func() (all []string) {
	for _, f := range formats {
		for _, ext := range f.Extensions {
			if all = append(all, ext); !f.Packed {
				all = append(all, ext+".gz")
			}
		}
	}
	return append(all, ".tar.gz", ".tgz")
}()

// NameThatMatters is the part of a file's name that affects how it is read: the extension.
func NameThatMatters(path string) string { return extension(path) }

// Stem returns the name of a matrix file without folder and extension, and
// whether it has one of Extensions; a name without is returned whole.
func Stem(path string) (name string, known bool) {
	base := filepath.Base(path)
	for _, ext := range Extensions {
		if s, ok := strings.CutSuffix(base, ext); ok && s != "" {
			return s, true
		}
	}
	return base, false
}

// Found reports whether a glob that matches path asks for that file: path has one of
// Extensions, and if files of other kinds have the same extension, the glob ends in it.
func Found(glob, path string) bool {
	_, known := Stem(path)
	ext := NameThatMatters(path)
	return known && (ext == NameThatMatters(glob) || !slices.ContainsFunc(formats, func(f format) bool {
		return f.Ambiguous && slices.Contains(f.Extensions, ext)
	}))
}

// ReadSize reads little more of the file at path than the lines that give its
// size. Errors are those of Read.
func ReadSize(path string, opt Options) (Size, error) {
	f, err := open(path)
	if err != nil {
		return Size{}, err
	}
	defer f.Close()
	s, err := newSource(f, path, members...)
	if err != nil {
		return Size{}, err
	}
	h, read, err := formatOf(s).Open(s, opt)
	if err == nil && h.Unsized {
		_, _, err = read()
	}
	if err != nil {
		return Size{}, err
	}
	return Size{Rows: h.Rows, Cols: h.Cols, Entries: h.Entries, Symmetric: h.Symmetry != "general"}, nil
}
