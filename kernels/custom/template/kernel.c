/* NAME: y = A x on a processor, for a matrix in CSR. Threads take chunks of rows.
 *
 * spmvtune compiles this file for each configuration with macros:
 *     SPMV_REAL  float or double
 *     BLOCK      one of "block" in NAME.toml: here the rows of a chunk
 *     UNROLL     the parameter "unroll" of NAME.toml; add others there, and use them in capitals
 * grid is one of "grid" in NAME.toml: here the number of threads. Every row of y must be written,
 * empty ones, too: y is full of NaN before. (With zero = true in NAME.toml, y is zeroed before each
 * product, for kernels that add to it.)
 */
void spmv(int rows, int cols, int nonzeros,
          const int *row_ptr, /* rows + 1: the entries of row i are row_ptr[i] to row_ptr[i + 1] - 1 */
          const int *col_idx, /* nonzeros: from 0 */
          const SPMV_REAL *val, const SPMV_REAL *x, SPMV_REAL *y, int block, int grid)
{
#pragma omp parallel for num_threads(grid) schedule(dynamic, BLOCK)
	for (int i = 0; i < rows; i++) {
		SPMV_REAL sum[UNROLL] = {0};
		int k = row_ptr[i], end = row_ptr[i + 1];
		for (; k + UNROLL <= end; k += UNROLL)
			for (int u = 0; u < UNROLL; u++)
				sum[u] += val[k + u] * x[col_idx[k + u]];
		for (; k < end; k++)
			sum[0] += val[k] * x[col_idx[k]];
		for (int u = 1; u < UNROLL; u++)
			sum[0] += sum[u];
		y[i] = sum[0];
	}
}
