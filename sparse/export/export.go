// Package export writes matrices for other programs: Matrix Market, plain and gzipped
// (the form itself is package mtx's), Rutherford-Boeing, edge lists as SNAP has them,
// and the archives of scipy.sparse.
//
// A format that can't hold a matrix whole is written all the same where users expect
// that of it, and [Format.Loses] says what is lost; values that a format can't express
// are refused. It writes to a stream: files are the caller's.
package export

import (
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"strings"

	"spmvtune/sparse"
	"spmvtune/sparse/mtx"
)

// Options say what is known of a matrix beside its entries.
type Options struct {
	Name      string // in the header, where there is one
	Comment   string // likewise
	Pattern   bool   // values are all 1, and are left out where the format allows
	Symmetric bool   // only the lower triangle is stored; the matrix must be symmetric
}

// A Format is one that matrices are written in.
type Format struct {
	Extension string // with its dot
	Doc       string
	Loses     string // what the format can't hold; "" for nothing
	symmetric bool   // it can store a triangle
	write     func(w io.Writer, m *sparse.CSR[float64], opt Options) error
}

// Formats are all formats.
var Formats = []Format{
	{Extension: ".mtx", Doc: "Matrix Market", symmetric: true, write: writeMTX},
	{Extension: ".mtx.gz", Doc: "Matrix Market, gzipped", symmetric: true, write: writeGzipped},
	{Extension: ".rb", Doc: "Rutherford-Boeing, by columns", symmetric: true, write: writeRB},
	{Extension: ".txt", Doc: "edge list as SNAP has them, vertices from 0",
		Loses: "values, vertices without an edge, and that rows and columns may be of different numbers", write: writeEdges},
	{Extension: ".npz", Doc: "CSR for scipy.sparse.load_npz", write: writeNPZ},
}

// ByName returns the format that the extension of a file's name stands for.
func ByName(path string) (*Format, bool) {
	for i := range Formats {
		if strings.HasSuffix(strings.ToLower(path), Formats[i].Extension) {
			return &Formats[i], true
		}
	}
	return nil, false
}

// Write writes m.
func (f *Format) Write(w io.Writer, m *sparse.CSR[float64], opt Options) error {
	if opt.Symmetric {
		if !f.symmetric {
			return fmt.Errorf("a file %s has no form for symmetric matrices", f.Extension)
		}
		if err := symmetric(m); err != nil {
			return err
		}
	}
	out := bufio.NewWriterSize(w, 1<<16)
	if err := f.write(out, m, opt); err != nil {
		return err
	}
	return out.Flush()
}

// symmetric returns an error unless m is its own transpose; it says where it is not.
func symmetric(m *sparse.CSR[float64]) error {
	if m.Rows != m.Cols {
		return fmt.Errorf("the matrix is not symmetric: it has %d rows and %d columns", m.Rows, m.Cols)
	}
	t := m.Transpose()
	for i := range m.Rows {
		cols, vals := m.Row(i)
		mirror, mirrored := t.Row(i)
		for k, j := range cols {
			if k >= len(mirror) || mirror[k] != j || mirrored[k] != vals[k] && mirrored[k] == mirrored[k] {
				return fmt.Errorf("the matrix is not symmetric: row %d and column %d differ", i+1, i+1)
			}
		}
		if len(mirror) > len(cols) {
			return fmt.Errorf("the matrix is not symmetric: row %d and column %d differ", i+1, i+1)
		}
	}
	return nil
}

func writeMTX(w io.Writer, m *sparse.CSR[float64], opt Options) error {
	return mtx.WriteForm(w, m, mtx.Form{Pattern: opt.Pattern, Symmetric: opt.Symmetric}, opt.Comment)
}

func writeGzipped(w io.Writer, m *sparse.CSR[float64], opt Options) error {
	z := gzip.NewWriter(w)
	if err := writeMTX(z, m, opt); err != nil {
		return err
	}
	return z.Close()
}
