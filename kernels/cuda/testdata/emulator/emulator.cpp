// Runs entries that were compiled under emulator.h, as standard input says, and
// writes the results. Every number is a 64-bit integer of this machine:
//
//	request: seed; arrays, and of each its size and bytes; launches, and of each
//	         the length of its name and the name, grid, block, bytes of shared
//	         memory, arguments, and of each 1 and an array or 0 and a number;
//	         the array that is the result
//	reply:   its size and bytes
//
// An error ends the process with a message.
#include "emulator.h"

#include <algorithm>
#include <dlfcn.h>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

dim3 threadIdx, blockIdx, blockDim, gridDim;

namespace emulator {
unsigned char *shared_memory;
uint64_t (*slots)[32];

using Entry = void (*)(uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                       uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t,
                       uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

struct Barrier {
	unsigned arrived = 0, turn = 0;
};
struct Warp {
	uint64_t slots[32];
	std::map<unsigned, Barrier> barriers; // by mask
};
struct Thread {
	void *place[5];
	bool done;
	Barrier *waits;
	unsigned turn;
};

constexpr size_t STACK = 256 << 10;
static Thread threads[1024];
static Warp warps[32];
static Barrier all;
static void *scheduler[5];
static std::string name;
static Entry entry;
constexpr int MOST_ARGS = 24;
static uint64_t args[MOST_ARGS];

void fail(const char *what) {
	fprintf(stderr, "%s: %s (block %u of %u, thread %u of %u)\n", name.c_str(), what, blockIdx.x,
	        gridDim.x, threadIdx.x, blockDim.x);
	_exit(1);
}

// Leaves a place, to which another may come back later, for one that was left before. swapcontext does so as well,
// but asks the kernel about signals, and the address sanitizer then clears what it knows of the whole stack.
static __attribute__((noipa)) void go(void **to) { __builtin_longjmp(to, 1); }
static __attribute__((noipa)) void change(void **from, void **to) {
	if (!__builtin_setjmp(from)) go(to);
}

static void wait(Barrier &b, unsigned need) {
	if (++b.arrived == need) {
		b.arrived = 0;
		b.turn++;
		return;
	}
	Thread &t = threads[threadIdx.x];
	t.waits = &b;
	t.turn = b.turn;
	change(t.place, scheduler);
}

void block_barrier() { wait(all, blockDim.x); }
void warp_barrier(unsigned mask) {
	if (!(mask >> lane() & 1)) fail("a lane waits that the mask does not name");
	wait(warps[threadIdx.x / 32].barriers[mask], __popc(mask));
}

// Runs on the stack of a thread: the entry, whenever the scheduler comes back.
static void run_thread() {
	const uint64_t *a = args;
	Thread &t = threads[threadIdx.x];
	for (;;) {
		t.done = true;
		change(t.place, scheduler);
		entry(a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13], a[14],
		      a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23]);
	}
}

static __attribute__((noipa)) void start_thread(unsigned i, unsigned char *stack) {
	static ucontext_t context;
	threadIdx.x = i;
	getcontext(&context);
	context.uc_stack.ss_sp = stack;
	context.uc_stack.ss_size = STACK;
	makecontext(&context, run_thread, 0);
	if (!__builtin_setjmp(scheduler)) setcontext(&context);
}

// Runs the threads of a warp, in any order between their waits, until all wait for other warps or are done, or
// another warp's turn comes. It returns whether there was anything to run.
static bool run_warp(unsigned w, std::mt19937 &random) {
	std::vector<unsigned> order;
	for (unsigned i = 32 * w; i < blockDim.x && i < 32 * w + 32; i++) order.push_back(i);
	bool ran = false;
	for (bool progress = true; progress && (!ran || random() % 8); ran |= progress) {
		progress = false;
		std::shuffle(order.begin(), order.end(), random);
		for (unsigned i : order) {
			Thread &t = threads[i];
			if (t.done || (t.waits && t.waits->turn == t.turn)) continue;
			t.waits = nullptr;
			threadIdx.x = i;
			slots = &warps[w].slots;
			change(scheduler, t.place);
			progress = true;
		}
	}
	return ran;
}

// Runs a block. A warp gets as far ahead of the others as barriers let it.
static void run_block(std::mt19937 &random) {
	all = {};
	for (Warp &w : warps) w.barriers.clear();
	for (unsigned i = 0; i < blockDim.x; i++) {
		Thread &t = threads[i];
		t.done = false;
		t.waits = nullptr;
	}
	std::vector<unsigned> order;
	for (unsigned w = 0; 32 * w < blockDim.x; w++) order.push_back(w);
	for (bool progress = true; progress;) {
		progress = false;
		std::shuffle(order.begin(), order.end(), random);
		for (unsigned w : order) progress |= run_warp(w, random);
	}
	for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++) {
		if (!threads[threadIdx.x].done) fail("a thread waits for others that do not come");
	}
}

static bool read_bytes(void *to, size_t n) { return fread(to, 1, n, stdin) == n; }
static int64_t read_int() {
	int64_t v;
	if (!read_bytes(&v, sizeof v)) fail("the request ends early");
	return v;
}

// Arrays are as large as they are said to be, for the address sanitizer.
struct Array {
	int64_t size;
	std::unique_ptr<unsigned char[]> bytes;
};

static void serve(int64_t seed) {
	std::mt19937 random(seed);
	std::vector<Array> arrays(read_int());
	for (Array &a : arrays) {
		a.size = read_int();
		a.bytes.reset(new unsigned char[a.size]);
		if (!read_bytes(a.bytes.get(), a.size)) fail("an array ends early");
	}
	for (int64_t launches = read_int(); launches > 0; launches--) {
		name.assign(read_int(), ' ');
		if (!read_bytes(&name[0], name.size())) fail("a name ends early");
		entry = reinterpret_cast<Entry>(dlsym(RTLD_DEFAULT, name.c_str()));
		if (!entry) fail("there is no such entry");
		gridDim.x = read_int();
		blockDim.x = read_int();
		std::unique_ptr<unsigned char[]> memory(new unsigned char[read_int()]);
		shared_memory = memory.get();
		int64_t n = read_int();
		if (n > MOST_ARGS) fail("more than 24 arguments");
		for (int64_t i = 0; i < n; i++) {
			bool array = read_int();
			int64_t v = read_int();
			args[i] = array ? reinterpret_cast<uint64_t>(arrays[v].bytes.get()) : uint64_t(v);
		}
		Late::old.clear();
		for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++) run_block(random);
	}
	const Array &result = arrays[read_int()];
	fwrite(&result.size, sizeof result.size, 1, stdout);
	fwrite(result.bytes.get(), 1, result.size, stdout);
	fflush(stdout);
}
} // namespace emulator

int main() {
	auto *stacks = static_cast<unsigned char *>(mmap(nullptr, 1024 * emulator::STACK,
		PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
	if (stacks == MAP_FAILED) return 1;
	for (unsigned i = 0; i < 1024; i++) emulator::start_thread(i, stacks + i * emulator::STACK);
	for (int64_t seed; emulator::read_bytes(&seed, sizeof seed);) emulator::serve(seed);
}
