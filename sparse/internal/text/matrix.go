package text

import (
	"fmt"

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

// RefusesComplex is why a file of complex values is not read without an option.
const RefusesComplex = `the values are complex, and kernels here multiply real matrices; complex = "` + RealPart +
	`" in a sweep, or --complex ` + RealPart + `, reads the real parts`

// TooMany is the format of why a matrix of too many entries is refused.
const TooMany = "more than %d entries after expansion: 32-bit indices hold no more; without expansion the triangle " +
	"is read"

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
