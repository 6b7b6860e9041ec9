package file

import (
	"spmvtune/sparse/mtx"
	"spmvtune/sparse/rb"
	"spmvtune/sparse/snap"
)

// Version changes whenever the matrix that is read from some file does, or what is
// said of it, so that one that an older program has kept is not mistaken for it.
const Version = mtx.Version + "," + rb.Version + "," + snap.Version
