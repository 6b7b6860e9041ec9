// Package file reads and writes matrices in files, whatever their format: Matrix Market
// (package mtx), Rutherford-Boeing (rb), edge lists (snap), and, only written, scipy's
// archives. Files are plain, gzipped, or in an archive of the SuiteSparse collection.
// The list of formats is here; what declares a format says all else about it.
//
// The format follows from how the text starts where that leaves no doubt, and from the
// extension of the name, or of the member of the archive, where it does not. Packed files
// are recognised by their content. What a reader promises of memory, speed and errors is
// said in its package.
package file

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"spmvtune/sparse/internal/text"
	"spmvtune/sparse/mtx"
	"spmvtune/sparse/rb"
	"spmvtune/sparse/snap"
)

// What readers are asked for, and what they give.
type (
	Options = text.Options
	Matrix  = text.Matrix
	Size    = text.Size
	Error   = text.Error
)

// RealPart is the setting of [Options.Complex] that drops imaginary parts.
const RealPart = text.RealPart

// DefaultOptions expand and refuse complex files.
var DefaultOptions = text.DefaultOptions

// Read reads the file at path until ctx ends. A file that breaks its format gives
// an *Error.
func Read(ctx context.Context, path string, opt Options) (*Matrix, error) {
	f, err := text.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := Decode(&text.Interruptible{Ctx: ctx, R: f}, path, opt)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}

	return m, err
}

// Decode reads a matrix from r, which it reads to the end. name is what errors
// call it, and what has the extension.
func Decode(r io.Reader, name string, opt Options) (*Matrix, error) {
	if err := opt.Check(name); err != nil {
		return nil, err
	}
	s, err := text.NewSource(r, name, members...)
	if err != nil {
		return nil, err
	}
	return formatOf(s).Read(s, opt)
}

// formats are all forms of files. A text that could be any of them is read as the first.
var formats = []text.Format{
	mtx.Format,
	rb.Format,
	snap.Format,
	npz,
}

// read are the formats that are read.
var read = slices.DeleteFunc(slices.Clone(formats), func(f text.Format) bool { return f.Open == nil })

// Version changes whenever the matrix that is read from some file changes, so that a
// matrix that an older program has kept is not mistaken for it.
var Version = func() string {
	var all []string
	for _, f := range read {
		all = append(all, f.Version)
	}
	return strings.Join(all, ",")
}()

// members are the extensions of matrices in archives.
var members = func() (all []string) {
	for _, f := range read {
		all = append(all, f.Extensions[0])
	}
	return all
}()

// formatOf tells the format of a text by its first bytes or else by its extension.
func formatOf(s *text.Source) text.Format {
	for _, f := range read {
		if f.Starts(s.Peek()) {
			return f
		}
	}

	for _, f := range read {
		if slices.Contains(f.Extensions, s.Extension) {
			return f
		}
	}
	return read[0]
}

// Names names the formats that are read, with their extensions: "Matrix Market (.mtx,
// .mm), … or edge list (.txt)".
func Names() string {
	var names []string
	for _, f := range read {
		names = append(names, fmt.Sprintf("%s (%s)", f.Name, strings.Join(f.Extensions, ", ")))
	}
	return text.Or(names)
}

// Extensions are the endings of the names of matrix files.
var Extensions = func() (all []string) {
	for _, f := range read {
		for _, ext := range f.Extensions {
			all = append(all, ext, ext+".gz")
		}
	}
	return append(all, ".tar.gz", ".tgz")
}()

// NameThatMatters is the part of a file's name that affects how it is read: the extension.
func NameThatMatters(path string) string { return text.Extension(path) }

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
	return known && (ext == NameThatMatters(glob) || !slices.ContainsFunc(read, func(f text.Format) bool {
		return f.Ambiguous && slices.Contains(f.Extensions, ext)
	}))
}

// ReadSize reads little more of the file at path than the lines that give its
// size. Errors are those of Read.
func ReadSize(path string, opt Options) (Size, error) {
	f, err := text.Open(path)
	if err != nil {
		return Size{}, err
	}
	defer f.Close()
	s, err := text.NewSource(f, path, members...)
	if err != nil {
		return Size{}, err
	}
	return formatOf(s).ReadSize(s, opt)
}
