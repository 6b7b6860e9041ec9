// compute: 60 80
//
// A product as one stream of nonzeros, whatever the rows are, over the arrays of CSR as they
// are:
//
//	csr_stream_cached   x is read through the caches, which the matrix goes around
//	csr_stream_shared   every block copies x to its shared memory
//
// The host cuts the nonzeros into parts that begin and end with a row, a part for each
// block, and every part into ranges of equal length, one for each warp. A warp goes
// through its range in turns of 256: a lane takes 8 consecutive nonzeros with loads of 16
// bytes, and has the next turn's on their way while it adds this one's. The first
// nonzeros of rows are marked by bits, a byte for 8 nonzeros, so the loads depend on no
// row. A turn without a mark is added lane by lane; in others, a segmented scan over the
// warp completes every row that ends. Rows that a border of warps cuts are completed in
// shared memory: there is one launch, and it gives the same bits every time.
//
// Rows without nonzeros are listed, and written as 0.
#include "staged.cuh"

constexpr int TAKE = 8; // consecutive nonzeros of a lane in a turn
constexpr unsigned TURN = WARP * TAKE;
constexpr int MOST_WARPS = 32;
// Rows that end in a turn one by one; more are scanned.
constexpr int FEW = 3;
// Turns of a warp that are asked for while x is copied to shared memory: about as many
// bytes as memory moves meanwhile.
constexpr unsigned EARLY = 4;

// The elements of one lane in a turn.
template <typename T>
union Eight {
	Quad quad[TAKE * sizeof(T) / sizeof(Quad)];
	T at[TAKE];
};

// Elements j, …, j+7 of an array with n, j a multiple of 8. Those from n on are 0.
template <typename T>
__device__ __forceinline__ void load_eight(Eight<T> &e, const T *from, unsigned j, unsigned n) {
	if (j + TAKE <= n) {
		const Quad *quads = reinterpret_cast<const Quad *>(from + j);
#pragma unroll
		for (int i = 0; i < int(TAKE * sizeof(T) / sizeof(Quad)); i++) {
			e.quad[i] = load_once(quads + i);
		}
		return;
	}
#pragma unroll
	for (int k = 0; k < TAKE; k++) e.at[k] = j + k < n ? __ldg(from + j + k) : T(0);
}

// The matrix as a stream.
template <typename V>
struct Stream {
	const int *col;             //
	const V *val;               //
	const unsigned char *marks; // bit k of byte i: nonzero 8i+k is the first of its row
	unsigned nnz;
	const int *begin, *started; // of every range: its first nonzero, and the rows that begin before it
	int parts;
	const int *row;   // of every row that has nonzeros; not read if all have
	const int *empty; // rows without nonzeros
	int empties;

	__device__ __forceinline__ int row_of(int i) const { return empties > 0 ? __ldg(row + i) : i; }
};

// The nonzeros of a lane in one turn.
template <typename V>
struct Taken {
	Eight<int> col;
	Eight<V> val;
	unsigned marks;

	__device__ __forceinline__ void load(const Stream<V> &a, unsigned j, unsigned end) {
		if (j < end) {
			load_eight(col, a.col, j, a.nnz);
			load_eight(val, a.val, j, a.nnz);
			marks = __ldg(a.marks + j / TAKE);
		} else {
#pragma unroll
			for (int k = 0; k < TAKE; k++) col.at[k] = 0, val.at[k] = 0;
			marks = 0;
		}
	}
};

// Asks for the nonzeros of a lane from j on to be brought to L2; those at the end of a range
// are not.
template <typename V>
__device__ __forceinline__ void ask(const Stream<V> &a, unsigned j, unsigned end) {
	if (j + TAKE > end) return;
	prefetch_l2(a.col + j);
	prefetch_l2(a.val + j);
	if (sizeof(V) * TAKE > 32) prefetch_l2(a.val + j + TAKE / 2);
}

// What a warp carries from turn to turn: rows that began before, this lane's part of the
// row that is open, and the sum of what came before the first row that began in the range.
template <typename V>
struct Progress {
	int started;
	bool any; // row began in the range
	V open, head;
};

// Sum over a warp; all lanes have it.
template <typename V>
__device__ __forceinline__ V warp_total(V v) {
#pragma unroll
	for (int d = WARP / 2; d > 0; d /= 2) v += __shfl_xor_sync(FULL, v, d);
	return v;
}

// The number of bits set in `marks` of the lanes before this one, and of all lanes.
__device__ __forceinline__ int marks_before(unsigned marks, int &total) {
	unsigned n = __popc(marks), before = (1u << threadIdx.x % WARP) - 1;
	int sum = 0;
	total = 0;
#pragma unroll
	for (int b = 0; b < 4; b++) { // n is at most 8
		unsigned with = __ballot_sync(FULL, n >> b & 1);
		sum += __popc(with & before) << b;
		total += __popc(with) << b;
	}
	return sum;
}

// A turn in which few rows begin, in different lanes: writes those that end, one by one.
template <typename V>
__device__ __forceinline__ void end_few_rows(const Stream<V> &a, V *y, Progress<V> &t, const V (&p)[TAKE],
                                             unsigned marks, unsigned heads) {
	unsigned lane = threadIdx.x % WARP, from = 0;
	V first = 0, last = 0; // before the lane's mark, and from it on; without one all is first
	unsigned mark = marks ? __ffs(marks) - 1 : TAKE;
#pragma unroll
	for (unsigned k = 0; k < TAKE; k++) {
		if (k < mark) {
			first += p[k];
		} else {
			last += p[k];
		}
	}
#pragma unroll 1
	for (; heads; heads &= heads - 1) {
		unsigned head = __ffs(heads) - 1;
		V sum = warp_total(t.open + (lane >= from && lane <= head ? first : V(0)));
		if (!t.any) {
			t.head = sum;
		} else if (lane == 0) {
			y[a.row_of(t.started - 1)] = sum;
		}
		t.open = lane == head ? last : V(0);
		from = head + 1;
		t.any = true;
		t.started++;
	}
	if (lane >= from) t.open += first;
}

// A turn in which rows begin: writes those that end.
template <typename V>
__device__ __forceinline__ void end_rows(const Stream<V> &a, V *y, Progress<V> &t, const V (&p)[TAKE],
                                         unsigned marks, unsigned heads) {
	unsigned lane = threadIdx.x % WARP;
	int total, outer = t.started + marks_before(marks, total) - 1; // the row that is open
	unsigned inner = marks & (marks - 1); // all but the first: rows that begin and end in the lane
	V first = 0, sum = 0;                 // before the lane's first mark, and since the last
	V ended[TAKE];                        // the row that the mark ends
#pragma unroll
	for (int k = 0; k < TAKE; k++) {
		bool mark = marks >> k & 1;
		ended[k] = sum;
		if (mark) sum = 0;
		sum += p[k];
	}
	first = marks ? V(0) : sum;
#pragma unroll
	for (int k = 0; k < TAKE; k++) {
		if (marks >> k & 1 && !(inner >> k & 1)) first = ended[k];
	}
	if (__any_sync(FULL, inner != 0)) {
		constexpr int ROWS = 4; // fetched before the first is used
#pragma unroll
		for (int begin = 0; begin < TAKE; begin += ROWS) {
			int row[ROWS];
#pragma unroll
			for (int i = 0; i < ROWS; i++) row[i] = outer + __popc(marks & ((1u << (begin + i)) - 1));
			if (a.empties > 0) {
#pragma unroll
				for (int i = 0; i < ROWS; i++) {
					if (inner >> (begin + i) & 1) row[i] = __ldg(a.row + row[i]);
				}
			}
#pragma unroll
			for (int i = 0; i < ROWS; i++) {
				if (inner >> (begin + i) & 1) y[row[i]] = ended[begin + i];
			}
		}
	}

	// The row that was open before the turn ends in the first lane with a mark.
	unsigned head = __ffs(heads) - 1;
	V lead = warp_total(t.open + (lane <= head ? first : V(0)));
	// The others: scans from each lane with a mark on.
	unsigned upto = heads & (FULL >> (WARP - 1 - lane));
	unsigned from = upto ? WARP - 1 - __clz(upto) : WARP;
	V scan = sum;
#pragma unroll
	for (unsigned d = 1; d < WARP; d *= 2) {
		V up = __shfl_up_sync(FULL, scan, d);
		if (lane >= from + d) scan += up;
	}
	V in = __shfl_up_sync(FULL, scan, 1);
	if (marks && lane > head) y[a.row_of(outer)] = in + first;
	if (!t.any) {
		t.head = lead;
	} else if (lane == head) {
		y[a.row_of(outer)] = lead;
	}
	t.any = true;
	t.started += total;
	t.open = lane == WARP - 1 ? scan : V(0);
}

// The range of a warp. gather(code) is an element of x.
template <typename V, typename Gather>
__device__ __forceinline__ void stream_range(const Stream<V> &a, V *y, Taken<V> &next,
                                             Progress<V> &t, unsigned begin, unsigned end,
                                             Gather gather) {
	unsigned j = begin / TAKE * TAKE + threadIdx.x % WARP * TAKE;
	for (unsigned turn = begin / TAKE * TAKE; turn < end; turn += TURN, j += TURN) {
		Taken<V> now = next;
		next.load(a, j + TURN, end);
		V p[TAKE];
		gather(now.col, p);
#pragma unroll
		for (int k = 0; k < TAKE; k++) p[k] *= now.val.at[k];
		unsigned marks = now.marks;
		if (j < begin || j + TAKE > end) { // not all are in the range
#pragma unroll
			for (unsigned k = 0; k < TAKE; k++) {
				if (j + k < begin || j + k >= end) p[k] = 0, marks &= ~(1u << k);
			}
		}

		// Marks before the range are not counted: `started` is of its beginning.
		unsigned heads = __ballot_sync(FULL, marks != 0);
		if (__any_sync(FULL, marks & (marks - 1)) || __popc(heads) > FEW) {
			end_rows(a, y, t, p, marks, heads);
		} else if (heads) {
			end_few_rows(a, y, t, p, marks, heads);
		} else {
			t.open += ((p[0] + p[1]) + (p[2] + p[3])) + ((p[4] + p[5]) + (p[6] + p[7]));
		}
	}
}

// Sums of the warps of a block: what came before the first row that began in a range, and
// the open row at its end.
template <typename V>
struct Borders {
	V head[MOST_WARPS];
	bool any[MOST_WARPS];
};

// Completes the rows that go on beyond a range. All threads take part.
template <typename V>
__device__ __forceinline__ void join_ranges(const Stream<V> &a, V *y, const Progress<V> &t,
                                            Borders<V> &shared) {
	unsigned warp = threadIdx.x / WARP, warps = blockDim.x / WARP;
	V tail = warp_total(t.open);
	if (threadIdx.x % WARP == 0) {
		shared.head[warp] = t.any ? t.head : tail;
		shared.any[warp] = t.any;
	}
	__syncthreads();
	if (threadIdx.x % WARP == 0 && t.any) {
		for (unsigned w = warp + 1; w < warps; w++) {
			tail += shared.head[w];
			if (shared.any[w]) break;
		}
		y[a.row_of(t.started - 1)] = tail;
	}
}

// Writes 0 to the rows without nonzeros; all threads of the grid take part.
template <typename V>
__device__ __forceinline__ void clear_empty(const Stream<V> &a, V *y) {
#pragma unroll 4
	for (long long i = thread_index(); i < a.empties; i += thread_count()) y[__ldg(a.empty + i)] = 0;
}

// All parts of a block. stage(part) brings x to where gather finds it; it begins with a
// barrier if it needs one and ends with one if it writes.
template <typename V, typename Stage, typename Gather>
__device__ __forceinline__ void stream_parts(const Stream<V> &a, V *y, Stage stage, Gather gather) {
	__shared__ Borders<V> borders;
	unsigned warps = blockDim.x / WARP;
	if (blockIdx.x >= a.parts) clear_empty(a, y);
	for (long long part = blockIdx.x; part < a.parts; part += gridDim.x) {
		long long range = part * warps + threadIdx.x / WARP;
		unsigned begin = __ldg(a.begin + range), end = __ldg(a.begin + range + 1);
		Progress<V> t{__ldg(a.started + range), false, 0, 0};
		Taken<V> next;
		unsigned j = begin / TAKE * TAKE + threadIdx.x % WARP * TAKE;
		next.load(a, j, end);
#pragma unroll 1
		for (unsigned i = 1; i <= EARLY; i++) ask(a, j + i * TURN, end);
		if (part == blockIdx.x) clear_empty(a, y);
		stage(part);
		stream_range(a, y, next, t, begin, end, gather);
		join_ranges(a, y, t, borders);
	}
}

template <typename V>
__device__ __forceinline__ void stream_cached(const Stream<V> &a, const V *x, V *y) {
	stream_parts(
		a, y, [](long long) { __syncthreads(); },
		[&](const Eight<int> &col, V (&p)[TAKE]) {
#pragma unroll
			for (int k = 0; k < TAKE; k++) p[k] = __ldg(x + col.at[k]);
		});
}

template <typename V>
__device__ __forceinline__ void stream_shared(const Stream<V> &a, const V *x, V *y, int cols) {
	V *staged = dynamic_shared<V>();
	bool there = false;
	stream_parts(
		a, y,
		[&](long long) {
			if (!there) copy_x(staged, x, cols, banked<V>);
			there = true;
			__syncthreads();
		},
		[&](const Eight<int> &col, V (&p)[TAKE]) {
#pragma unroll
			for (int k = 0; k < TAKE; k++) p[k] = staged[banked<V>(col.at[k])];
		});
}

// The parameters of an entry that begins with them, and its Stream.
#define STREAM_PARAMS(V)                                                                  \
	const int *__restrict__ col, const V *__restrict__ val, const unsigned char *__restrict__ marks, \
		int nnz, const int *__restrict__ begin, const int *__restrict__ started, int parts,  \
		const int *__restrict__ row, const int *__restrict__ empty, int empties
#define STREAM                                                                               \
	(Stream<V>{col, val, marks, static_cast<unsigned>(nnz), begin, started, parts, row, empty, empties})

// Declares NAME_f32 and NAME_f64, whose body sees the type of values as V. A block of float64
// has at most 768 threads: two turns take their registers.
#define STREAM_ENTRY(NAME, PARAMS, ...)                                                      \
	extern "C" __global__ void __launch_bounds__(1024) NAME##_f32(PARAMS(float)) {           \
		using V = float;                                                                     \
		__VA_ARGS__;                                                                         \
	}                                                                                        \
	extern "C" __global__ void __launch_bounds__(768) NAME##_f64(PARAMS(double)) {           \
		using V = double;                                                                    \
		__VA_ARGS__;                                                                         \
	}

#define STREAM_CACHED_PARAMS(V) STREAM_PARAMS(V), const V *__restrict__ x, V *__restrict__ y
#define STREAM_SHARED_PARAMS(V) STREAM_CACHED_PARAMS(V), int cols

STREAM_ENTRY(csr_stream_cached, STREAM_CACHED_PARAMS, stream_cached(STREAM, x, y))
STREAM_ENTRY(csr_stream_shared, STREAM_SHARED_PARAMS, stream_shared(STREAM, x, y, cols))
