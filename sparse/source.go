package sparse

import "embed"

// Source has the files with the matrix and the formats that kernels prepare. They are part of
// the identity of a kernel's trials; tests of the kernels say which file is missing.
//
//go:embed bsr.go coo.go csr.go diagonals.go jagged.go jagged_fill.go narrow.go narrow_fill.go parallel.go sell.go
var Source embed.FS
