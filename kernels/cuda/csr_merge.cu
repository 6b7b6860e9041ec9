// SPDX-License-Identifier: Apache-2.0
// Merge-based CSR (Merrill and Garland, SC16). A product is seen as the merge of
// two sorted lists, the ends of the rows and the positions of the nonzeros: to
// consume a nonzero is to add its product, to consume the end of a row is to write
// its sum. Cut anywhere, the merge falls into pieces of equal work, whatever the
// rows are. A tile is blockDim·ITEMS steps of the merge, ITEMS for each thread;
// blocks take every gridDim-th tile.
//
// Rows cut by a border within a tile are completed there. A row that goes on
// beyond a tile has its sum so far carried out of the tile, and a last kernel adds
// the carries: y was written by the tile in which the row ends.
#include "csr.cuh"

// Steps of the merge per thread: odd, against bank conflicts, and as many as CUB
// takes for the size of a value. recipes_merge.go has the same numbers.
template <typename V>
constexpr int ITEMS = sizeof(V) > 4 ? 5 : 7;

// The number of rows that end within the first `diagonal` steps: the merge
// consumes nonzero j before the end of row i if j < end(i). ends(i) is called for
// i below `rows`; `nonzeros` is the length of the other list. I holds a diagonal.
template <typename I, typename Ends>
__device__ __forceinline__ I merge_search(I diagonal, I rows, I nonzeros, Ends ends) {
	I lo = max(diagonal - nonzeros, I(0)), hi = min(diagonal, rows);
	while (lo < hi) {
		I mid = lo + (hi - lo) / 2;
		if (ends(mid) < diagonal - mid) {
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	return lo;
}

// The row that each of tiles+1 borders of tiles cuts, or begins with.
__device__ __forceinline__ void find_borders(const int *row_ptr, int rows, int nnz, int *border_row,
                                             int tiles, int tile) {
	long long t = thread_index();
	if (t > tiles) return;
	long long m = rows, n = nnz, diagonal = min(t * tile, m + n);
	border_row[t] = static_cast<int>(
		merge_search(diagonal, m, n, [&](long long i) { return __ldg(row_ptr + i + 1); }));
}

// A sum that may have begun before: `ended` says that a row ended on the way, so
// that what came earlier does not belong to it.
template <typename V>
struct Open {
	V sum;
	int ended;
};

// Inclusive scan of open sums over a warp.
template <typename V>
__device__ __forceinline__ Open<V> warp_scan(Open<V> o) {
	unsigned lane = threadIdx.x % WARP;
#pragma unroll
	for (unsigned d = 1; d < WARP; d *= 2) {
		V sum = __shfl_up_sync(FULL, o.sum, d);
		int ended = __shfl_up_sync(FULL, o.ended, d);
		if (lane >= d) {
			if (!o.ended) o.sum += sum;
			o.ended |= ended;
		}
	}
	return o;
}

// What comes into this thread from those before it in the block, and, in all
// threads, what leaves the block. All threads take part; scratch holds an Open per
// warp, and may be used again after the next barrier.
template <typename V>
__device__ __forceinline__ V carry_in(Open<V> mine, Open<V> *scratch, V &out) {
	unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
	Open<V> upto = warp_scan(mine);
	if (lane == WARP - 1) scratch[warp] = upto;
	__syncthreads();
	// Every warp scans the sums of all warps, which saves a barrier.
	Open<V> whole = warp_scan(lane < warps ? scratch[lane] : Open<V>{V(0), 0});
	out = __shfl_sync(FULL, whole.sum, warps - 1);
	V before = __shfl_sync(FULL, whole.sum, (warp + WARP - 1) % WARP);
	if (warp == 0) before = 0;
	V in = __shfl_up_sync(FULL, upto.sum, 1);
	int ended = __shfl_up_sync(FULL, upto.ended, 1);
	if (lane == 0) return before;
	return ended ? in : in + before;
}

// One tile: the merge from row `row` and nonzero `start` on, over `rows` ends of
// rows and `n` nonzeros. Returns the sum so far of the row that is open at its
// end. shared holds n values and rows+1 integers, of which n+rows is at most the
// size of a tile.
template <typename V>
__device__ __forceinline__ V merge_tile(const Csr<V> &a, unsigned row, int rows, unsigned start,
                                        int n, V *shared, Open<V> *scratch) {
	constexpr int STEPS = ITEMS<V>;
	V *staged = shared;
	int *ends = reinterpret_cast<int *>(shared + n); // relative to start
	V p[STEPS];
	products<STEPS, true>(a, p, start + threadIdx.x, start + n, blockDim.x);
#pragma unroll
	for (int i = 0; i < STEPS; i++) {
		int k = threadIdx.x + i * blockDim.x;
		if (k < n) staged[k] = p[i];
	}
	for (int k = threadIdx.x; k < rows; k += blockDim.x) {
		ends[k] = static_cast<int>(row_end(a, row + k) - start);
	}
	if (threadIdx.x == 0) ends[rows] = n; // the open row goes on to the end, at least
	__syncthreads();

	int step = min(static_cast<int>(threadIdx.x) * STEPS, n + rows);
	int last = min(step + STEPS, n + rows);
	int r = merge_search(step, rows, n, [&](int i) { return ends[i]; });
	int j = step - r, first_row = r;
	V first = 0; // of the row in which this thread begins, if it ends here
	V sum = 0;
#pragma unroll
	for (int i = 0; i < STEPS; i++) {
		if (step + i < last) {
			if (j < ends[r]) {
				sum += staged[j++];
			} else {
				if (r == first_row) {
					first = sum;
				} else {
					a.y[row + r] = sum;
				}
				sum = 0;
				r++;
			}
		}
	}
	V out;
	V in = carry_in(Open<V>{sum, r > first_row}, scratch, out);
	if (r > first_row) a.y[row + first_row] = in + first;
	return out;
}

// The two barriers of a tile also part it from the next: whoever fills shared again
// is past the second, after which only scratch is read, and whoever writes scratch
// again is past the next tile's first.
//
// Border t cuts row border_row[t]; carry[t] is what tile t leaves of the row that
// border t+1 cuts.
template <typename V>
__device__ __forceinline__ void merge(const Csr<V> &a, int nnz, const int *border_row, V *carry,
                                      int tiles) {
	__shared__ Open<V> scratch[WARP];
	V *shared = dynamic_shared<V>();
	long long tile = static_cast<long long>(blockDim.x) * ITEMS<V>;
	long long end = static_cast<long long>(a.rows) + nnz;
	for (long long t = blockIdx.x; t < tiles; t += gridDim.x) {
		unsigned row = __ldg(border_row + t), next = __ldg(border_row + t + 1);
		unsigned start = static_cast<unsigned>(t * tile - row);
		unsigned stop = static_cast<unsigned>(min((t + 1) * tile, end) - next);
		V out = merge_tile(a, row, next - row, start, stop - start, shared, scratch);
		if (threadIdx.x == 0) carry[t] = out;
	}
}

// Adds what tile t carried out to the row that border t+1 cuts; beyond the last
// row nothing was carried. Neighbouring lanes with the same row add once.
template <typename V>
__device__ __forceinline__ void add_carries(V *y, int rows, const int *border_row, const V *carry,
                                            int tiles) {
	long long t = thread_index();
	int row = t < tiles ? __ldg(border_row + t + 1) : rows;
	V sum = t < tiles ? __ldg(carry + t) : V(0);
	unsigned lane = threadIdx.x % WARP;
	int before = __shfl_up_sync(FULL, row, 1), after = __shfl_down_sync(FULL, row, 1);
	Open<V> o = warp_scan(Open<V>{sum, lane == 0 || before != row});
	if (row < rows && (lane == WARP - 1 || after != row)) atomicAdd(y + row, o.sum);
}

#define MERGE_BORDERS_PARAMS(V)                                                            \
	const int *__restrict__ row_ptr, int rows, int nnz, int *border_row, int tiles, int tile
#define MERGE_PARAMS(V)                                                                    \
	CSR_PARAMS(V), int nnz, const int *__restrict__ border_row, V *carry, int tiles
#define MERGE_CARRIES_PARAMS(V)                                                            \
	V *y, int rows, const int *__restrict__ border_row, const V *__restrict__ carry, int tiles

CSR_ENTRY(csr_merge_borders, CSR_BOUNDS, MERGE_BORDERS_PARAMS,
          find_borders(row_ptr, rows, nnz, border_row, tiles, tile))
CSR_ENTRY(csr_merge, CSR_BOUNDS, MERGE_PARAMS, merge<V>(CSR, nnz, border_row, carry, tiles))
CSR_ENTRY(csr_merge_carries, CSR_BOUNDS, MERGE_CARRIES_PARAMS,
          add_carries<V>(y, rows, border_row, carry, tiles))
