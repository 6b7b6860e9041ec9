// SPDX-License-Identifier: Apache-2.0
// A program for a GPU that a sweep can call: cusparse MATRIX X Y SAMPLES PRECISION multiplies with
// cuSPARSE's CSR_ALG1, and times 20 products back to back by events for each sample.
// nvcc -O3 -o cusparse cusparse.cu -lcusparse
#include <cusparse.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

template <class T> static T *upload(const std::vector<T> &v) {
	T *p = nullptr;
	if (cudaMalloc(&p, v.size() * sizeof(T) + 1) || cudaMemcpy(p, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice)) {
		fprintf(stderr, "cusparse: %s\n", cudaGetErrorString(cudaGetLastError()));
		exit(1);
	}
	return p;
}

static void check(int failed, const char *what) {
	if (!failed) return;
	fprintf(stderr, "cusparse: can't %s\n", what);
	exit(1);
}

template <class T> static void run(char **argv, cudaDataType type) {
	FILE *f = fopen(argv[1], "r");
	check(!f, "open the matrix");
	int c, rows, cols, nnz;
	while ((c = getc(f)) == '%')
		while ((c = getc(f)) != '\n' && c != EOF);
	ungetc(c, f);
	check(fscanf(f, "%d %d %d", &rows, &cols, &nnz) != 3, "read the sizes");

	// The file has its entries by rows.
	std::vector<int> ptr(rows + 1), col(nnz);
	std::vector<T> val(nnz), x(cols), y(rows);
	double v;
	for (int k = 0, i, j; k < nnz; k++) {
		check(fscanf(f, "%d %d %lf", &i, &j, &v) != 3, "read an entry");
		ptr[i]++, col[k] = j - 1, val[k] = T(v);
	}
	for (int i = 0; i < rows; i++) ptr[i + 1] += ptr[i];
	check(!(f = fopen(argv[2], "r")), "open x");
	for (int j = 0; j < cols; j++) check(fscanf(f, "%lf", &v) != 1, "read x"), x[j] = T(v);

	cusparseHandle_t lib;
	cusparseSpMatDescr_t a;
	cusparseDnVecDescr_t dx, dy;
	T *py = upload(y), one = 1, zero = 0;
	check(cusparseCreate(&lib) || cusparseCreateCsr(&a, rows, cols, nnz, upload(ptr), upload(col), upload(val),
		CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, type) ||
		cusparseCreateDnVec(&dx, cols, upload(x), type) || cusparseCreateDnVec(&dy, rows, py, type), "prepare cuSPARSE");
	size_t size;
	void *buffer;
	const auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
	check(cusparseSpMV_bufferSize(lib, plain, &one, a, dx, &zero, dy, type, CUSPARSE_SPMV_CSR_ALG1, &size) ||
		cudaMalloc(&buffer, size + 1), "make room");

	cudaEvent_t begin, end;
	cudaEventCreate(&begin), cudaEventCreate(&end);
	const int products = 20;
	for (int sample = -1; sample < atoi(argv[4]); sample++) {
		cudaEventRecord(begin);
		for (int i = 0; i < products; i++)
			check(cusparseSpMV(lib, plain, &one, a, dx, &zero, dy, type, CUSPARSE_SPMV_CSR_ALG1, buffer), "multiply");
		cudaEventRecord(end);
		float ms;
		check(cudaEventSynchronize(end) || cudaEventElapsedTime(&ms, begin, end), "time the products");
		if (sample >= 0) printf("time_ms=%.7f\n", ms / products); // the first one warms up
	}

	check(cudaMemcpy(y.data(), py, rows * sizeof(T), cudaMemcpyDeviceToHost) || !(f = fopen(argv[3], "w")), "write y");
	for (int i = 0; i < rows; i++) fprintf(f, "%.17g\n", double(y[i]));
	check(fclose(f), "write y");
}

int main(int argc, char **argv) {
	check(argc != 6, "run: the arguments are MATRIX X Y SAMPLES PRECISION");
	if (!strcmp(argv[5], "float32")) run<float>(argv, CUDA_R_32F);
	else run<double>(argv, CUDA_R_64F);
}
