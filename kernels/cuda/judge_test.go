// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

// blind begins the names of the entries of blindJudges.
const blind = "blind"

// blindness is what is changed in judge.cu for the kernel not to see something. Each must be noticed.
var blindness = []struct{ what, old, by string }{
	{"the last row of a block", "i < end; i +=", "i < end - 1; i +="},
	{"the last block", "verdicts[blockIdx.x] = mine;", "if (blockIdx.x + 1 < gridDim.x) verdicts[blockIdx.x] = mine;"},
	{"rows of a block more", "/ gridDim.x", "/ (gridDim.x + 1)"},
	{"all but a warp", "t < blockDim.x", "t < 32"},
	{"what the first thread does not see", "other.worst > mine.worst ||", "false &&"},
	{"a NaN", "q == q ? q : HUGE_VAL", "q == q ? q : 0"},
	{"an infinity", "q == q ? q : HUGE_VAL", "q <= 1e300 ? q : 0"},
	{"the low part, not read", "lo ? lo[i] : 0", "0"},
	{"the low part, not used", "fabs(y - hi - lo)", "fabs(y - hi)"},
	{"a small bound", "d / bound", "d / (bound + 1)"},
	{"the error in full precision", "d / bound", "(float)d / (float)bound"},
	{"the sign", "fabs(y - hi - lo)", "(y - hi - lo)"},
	{"its own row of y", "quotient(y[i]", "quotient(y[from]"},
	{"an old y", "quotient(y[i]", "quotient(V(hi[i])"},
	{"where the worst is", "mine.row = i;", "mine.row = from;"},
	{"that no error is no error", "if (d == 0) return 0;", ""},
	{"what is planted", "if (i == chosen)", "if (false)"},
	{"any error", "if (q > mine.worst)", "if (false)"},
}

// blindJudges is the source of entries of judge.cu with each of blindness.
func blindJudges(t *testing.T) string {
	t.Helper()
	text := testkit.Must(os.ReadFile("judge.cu"))
	const include = `#include "common.cuh"`
	source, all := strings.Replace(string(text), include, "", 1), include+"\n"
	for i, b := range blindness {
		testkit.Require(t, strings.Contains(source, b.old), "judge.cu has no %q", b.old)
		name := fmt.Sprint(blind, i)
		changed := strings.ReplaceAll(source, b.old, b.by)
		changed = strings.Replace(changed, "SPMV_ENTRY(judge,", "SPMV_ENTRY("+name+"judge,", 1)
		changed = strings.Replace(changed, "void judge_digest", "void "+name+"judge_digest", 1)
		all += "namespace " + name + " {" + changed + "}\n"
	}
	return all
}

// judge compares y with ref by entries whose names begin with prefix.
func (e *emulator) judge(t *testing.T, prefix string, v int, y []float64, ref kernels.Reference) (float64, int, error) {
	t.Helper()
	n := judges(len(y))
	arrays := map[string][]byte{
		"y": packValues(y, v), "hi": packValues(ref.Hi, 8), "lo": packValues(ref.Lo, 8), "bound": packValues(ref.Bound, 8),
		"verdicts": bytes.Repeat([]byte{0xff}, n*int(unsafe.Sizeof(verdict{}))),
	}
	low := ptr("lo")
	if ref.Lo == nil {
		low = num(0)
	}
	s := step{Entry: prefix + "judge" + suffix(v), Grid: n, Block: judgeBlock,
		Args: []arg{ptr("y"), num(len(y)), ptr("hi"), low, ptr("bound"), num(rand.IntN(1 << 20)), ptr("verdicts")}}
	verdicts := make([]verdict, n)
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&verdicts[0])), len(arrays["verdicts"])),
		e.launch(t, s.Entry, arrays, []step{s}, "verdicts", 1))
	return sumUp(verdicts, len(y), digestOf(ref))
}

// judged makes a reference of some rows, every fifth without entries, and a y that is right, and as exact as v bytes.
func judgedRows(rows, v int) (y []float64, ref kernels.Reference) {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(v)))
	ref.Hi, ref.Bound, y = make([]float64, rows), make([]float64, rows), make([]float64, rows)
	if v == 8 {
		ref.Lo = make([]float64, rows)
	}
	u := map[int]float64{4: 0x1p-24, 8: 0x1p-53}[v]
	for i := range y {
		if i%5 == 4 {
			continue
		}
		ref.Hi[i] = 2*r.Float64() - 1
		ref.Bound[i] = 16 * u * (1 + r.Float64())
		if v == 8 {
			ref.Lo[i] = ref.Hi[i] * u * (r.Float64() - 0.5)
		}
		y[i] = ref.Hi[i] + ref.Bound[i]*(r.Float64()-0.5)
		if v == 4 {
			y[i] = float64(float32(y[i]))
		}
	}
	return y, ref
}

// errorOf is what row i of y is off, as a fraction of its bound.
func errorOf(ref kernels.Reference, y []float64, i int) float64 {
	d := y[i] - ref.Hi[i]
	if ref.Lo != nil {
		d -= ref.Lo[i]
	}
	switch q := math.Abs(d) / ref.Bound[i]; {
	case d == 0:
		return 0
	case math.IsNaN(q):
		return math.Inf(1)
	default:
		return q
	}
}

// worstOf is the largest error and the first row that has it.
func worstOf(ref kernels.Reference, y []float64) (worst float64, row int) {
	for i := range y {
		if q := errorOf(ref, y, i); q > worst {
			worst, row = q, i
		}
	}
	return worst, row
}

// The kernel finds the largest error, bit for bit, and the first row that has it, wherever a wrong value is and
// whatever is wrong with it.
func TestJudge(t *testing.T) {
	e := newEmulator(t)
	for _, rows := range []int{1, 2, 255, 257, 3001, mostJudges*judgeBlock + 77} {
		for _, v := range []int{4, 8} {
			y, ref := judgedRows(rows, v)
			check := func(what string) {
				t.Helper()
				worst, row, err := e.judge(t, "", v, y, ref)
				if want, at := worstOf(ref, y); err != nil || worst != want || row != at {
					t.Errorf("%d rows of %d bytes, %s: %g in row %d, want %g in row %d (%v)", rows, v, what, worst, row, want,
						at, err)
				}
			}
			wrongs := []float64{math.NaN(), math.Inf(1), math.Inf(-1), 1.5}
			places := []int{0, rows / 2, rows - 1, 4 % rows, rows / 3}
			if rows > 10_000 { // a block has several rows of each thread
				wrongs, places = wrongs[:1], places[2:3]
			} else {
				check("right")
			}
			for _, at := range places {
				right := y[at]
				for _, wrong := range wrongs {
					y[at] = wrong
					check(fmt.Sprintf("%g in row %d", wrong, at))
				}
				y[at] = right
			}
		}
	}
}

// A kernel that does not see something is noticed: what it was planted is not found, it has not read the reference of
// all rows once, or it says of a row what that is not.
func TestBlindJudgesAreNoticed(t *testing.T) {
	e := newEmulator(t)
	for i, b := range blindness {
		for _, v := range []int{4, 8} {
			if v == 4 && strings.Contains(b.what, "low part") {
				continue // there is none
			}
			y, ref := judgedRows(3001, v)
			worst, row, err := e.judge(t, fmt.Sprint(blind, i), v, y, ref)
			noticed := err != nil || errorOf(ref, y, row) != worst
			for at := range y {
				noticed = noticed || errorOf(ref, y, at) > worst
			}
			testkit.Check(t, noticed, "a kernel of %d bytes that does not see %s finds %g in row %d", v, b.what, worst, row)
		}
	}
}

// A reference that has changed on the device, or a block that has not run, makes the host compare.
func TestAChangedReferenceIsNoticed(t *testing.T) {
	_, ref := judgedRows(700, 8)
	digest := digestOf(ref)
	for _, part := range [][]float64{ref.Hi, ref.Lo, ref.Bound} {
		for _, at := range []int{0, 350, 699} {
			old := part[at]
			part[at] = math.Nextafter(old, 2)
			testkit.Check(t, digestOf(ref) != digest, "a changed row %d has the same digest", at)
			part[at] = old
		}
	}
	testkit.Equal(t, digestOf(ref), digest, "the reference's digest")

	good := verdict{worst: 0.5, planted: 2, row: 3, digest: 7}
	poisoned := verdict{math.NaN(), math.NaN(), -1, math.MaxUint64}
	for _, test := range []struct {
		verdicts []verdict
		want     error
	}{
		{[]verdict{good, good}, nil},
		{[]verdict{good}, kernels.ErrNoJudge},
		{[]verdict{good, poisoned}, kernels.ErrNoJudge},
		{[]verdict{good, {0.5, 1, 3, 7}}, errBlind},
		{[]verdict{good, {math.NaN(), 2, 3, 7}}, errBlind},
		{[]verdict{good, {0.5, math.NaN(), 3, 7}}, errBlind},
		{[]verdict{good, {0.5, 2, -1, 7}}, errBlind},
		{[]verdict{good, {0.5, 2, 4, 7}}, errBlind},
	} {
		_, _, err := sumUp(test.verdicts, 4, 14)
		testkit.Is(t, err, test.want, fmt.Sprint(test.verdicts))
	}
}

// The digest of an array is the sum of what its words give, on any number of blocks, and each bit of each counts.
func TestDigest(t *testing.T) {
	e := newEmulator(t)
	digest := func(words []int32, blocks int) (sum uint64) {
		s := step{Entry: "judge_digest", Grid: blocks, Block: judgeBlock,
			Args: []arg{ptr("words"), num(len(words)), ptr("sums")}}
		arrays := map[string][]byte{"words": packInts(words), "sums": bytes.Repeat([]byte{0xff}, 8*blocks)}
		sums := e.launch(t, "a digest", arrays, []step{s}, "sums", 1)
		for ; len(sums) > 0; sums = sums[8:] {
			sum += binary.NativeEndian.Uint64(sums)
		}
		return sum
	}
	r, words := rand.New(rand.NewPCG(1, 2)), make([]int32, 1000)
	want := uint64(0)
	for i := range words {
		words[i] = int32(r.Uint32())
		want += mix(uint64(i)<<32 | uint64(uint32(words[i])))
	}
	for _, blocks := range []int{1, 3, 4, 7} {
		testkit.Equal(t, digest(words, blocks), want, "%d blocks", blocks)
	}
	for _, at := range []int{0, 511, 999} {
		changed := slices.Clone(words)
		changed[at] ^= 1 << r.IntN(32)
		testkit.Check(t, digest(changed, 4) != want, "a changed word %d has the same digest", at)
	}
}
