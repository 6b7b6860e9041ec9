package trial

import "spmvtune/kernels"

// A Case is where trials compete with each other: one matrix on one device, in one
// precision and cache state.
//
// Device and Matrix are names that are unique in whatever holds the case: the label and
// the name of the views in a database, the matrix's content hash in a run.
type Case struct {
	Device, Matrix string
	Precision      kernels.Precision
	Cache          Cache
}

// Place returns the place of a trial on a device.
func (t Trial) Place(device string) Case {
	return Case{Device: device, Matrix: t.Matrix, Precision: t.Precision, Cache: t.Cache}
}
