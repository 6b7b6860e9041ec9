package text

import (
	"io"

	"spmvtune/sparse"
)

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
	// Parse reads a matrix to the end of the source; it is nil if the format is only written.
	Parse func(*Source, Options) (*Matrix, error)
	// ParseSize reads no more than the lines that give the size.
	ParseSize func(*Source, Options) (Size, error)

	// Write writes a matrix; it is nil if the format is only read.
	Write func(io.Writer, *sparse.CSR[float64], Writing) error
	// Triangle says that Write can store the lower triangle of a symmetric matrix.
	Triangle bool
	// Doc is a note on how it is written, "" for none.
	Doc string
	// Loses is what the format can't hold, "" for nothing.
	Loses string
}

// Writing says what is known of a matrix that is written, beside its entries.
type Writing struct {
	// Name and Comment stand in the header, where the format has one.
	Name, Comment string
	// Pattern says that all values are 1; they are left out where the format allows it.
	Pattern bool
	// Symmetric asks for the lower triangle only, of a matrix that is symmetric.
	Symmetric bool
}
