package worker

import (
	"spmvtune/kernels"
	"spmvtune/sparse"
)

// bytesMin returns the compulsory traffic of a product: the arrays of the format once, the
// elements of x that occur once, y once. A bandwidth computed from it can't exceed the
// device's when caches are cold.
func bytesMin(f sparse.Features, p kernels.Precision, info kernels.ProductInfo) int64 {
	return info.BytesFormat + int64(f.ColsUsed+f.Rows)*int64(p.Bytes())
}
