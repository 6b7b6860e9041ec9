// NAME: y = A x on a GPU, for a matrix in CSR. LANES threads share a row.
//
// spmvtune compiles this file for each configuration with macros:
//     SPMV_REAL  float or double
//     BLOCK      threads in a block
//     LANES      the parameter "lanes" of NAME.toml; add others there, and use them in capitals
// It launches the number of blocks that "blocks" in NAME.toml says. Every row of y must be written,
// empty ones, too: y is full of NaN before. (With zero = true in NAME.toml, y is zeroed before each
// product, for kernels that add to it.)

extern "C" __global__ void __launch_bounds__(BLOCK)
spmv(int rows, int cols, int nonzeros,
     const int *__restrict__ row_ptr,  // rows + 1: the entries of row i are row_ptr[i] to row_ptr[i + 1] - 1
     const int *__restrict__ col_idx,  // nonzeros: from 0
     const SPMV_REAL *__restrict__ val,
     const SPMV_REAL *__restrict__ x,
     SPMV_REAL *__restrict__ y)
{
	int row = blockIdx.x * (BLOCK / LANES) + threadIdx.x / LANES;
	int lane = threadIdx.x % LANES;

	SPMV_REAL sum = 0;
	if (row < rows)
		for (int k = row_ptr[row] + lane; k < row_ptr[row + 1]; k += LANES)
			sum += val[k] * x[col_idx[k]];

	for (int step = LANES / 2; step > 0; step /= 2)
		sum += __shfl_down_sync(0xffffffff, sum, step, LANES);
	if (row < rows && lane == 0)
		y[row] = sum;
}
