// SPDX-License-Identifier: Apache-2.0

package cuda

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

// An emulator runs recipes on the processor, from the kernels' own source, which
// a C++ compiler reads under testdata/emulator/emulator.h. The long tests compile it with
// sanitizers, which takes three times as long.
type emulator struct {
	in  io.Writer
	out *bufio.Reader
	cmd *exec.Cmd
	err bytes.Buffer
}

// running is the emulator of all tests; nil until one needs it, and after it has failed.
var running *emulator

// newEmulator returns an emulator of all kernels. The test is skipped where there is no compiler.
func newEmulator(t *testing.T) *emulator {
	t.Helper()
	if running != nil {
		return running
	}
	if testkit.RaceDetector {
		t.Skip("the emulator is another program, into which the race detector does not see")
	}
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skipf("running kernels without a GPU needs a C++ compiler: %v", err)
	}
	dir := testkit.Must(os.MkdirTemp("", "spmvtune-emulator-"))
	e := &emulator{}
	if err = compileEmulator(t, compiler, dir); err == nil {
		// The emulator ends with this program, whose tests all use it. The shell then removes it.
		e.cmd = exec.Command("sh", "-c", `"$1/emulator"; status=$?; rm -rf "$1"; exit $status`, "sh", dir)
		e.cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0")
		e.cmd.Stderr = &e.err
		err = e.start()
	}
	if err != nil {
		os.RemoveAll(dir)
		t.Fatal(err)
	}
	running = e
	return e
}

func (e *emulator) start() error {
	stdin, err := e.cmd.StdinPipe()
	if err != nil {
		return err
	}
	stdout, err := e.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	e.in, e.out = stdin, bufio.NewReader(stdout)
	return e.cmd.Start()
}

// compileEmulator compiles all kernels for the processor, several at a time.
func compileEmulator(t *testing.T, compiler, dir string) error {
	t.Helper()
	flags := []string{"-std=c++17", "-O1", "-w", "-rdynamic", "-I", "testdata/emulator"}
	if testkit.LongAsked() {
		flags = append(flags, "-g1", "-fsanitize=address,undefined", "-fno-sanitize-recover")
	}
	headers, err := filepath.Glob("*.cuh")
	if err != nil {
		return err
	}
	for _, name := range headers {
		copySource(t, name, dir)
	}
	sources := []string{"testdata/emulator/emulator.cpp"}
	for _, name := range append(kernelSources(t), "judge", "reorder", "roof") {
		sources = append(sources, copySource(t, name+".cu", dir))
	}
	sources = append(sources, filepath.Join(dir, "blind.cu"))
	if err := os.WriteFile(sources[len(sources)-1], []byte(blindJudges(t)), 0o644); err != nil {
		return err
	}

	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	run := func(args ...string) error {
		text, err := exec.Command(compiler, append(slices.Clone(flags), args...)...).CombinedOutput()
		if err != nil {
			return fmt.Errorf("compiling the kernels for the processor: %w\n%s", err, text)
		}
		return nil
	}
	link := []string{"-o", filepath.Join(dir, "emulator")}
	for i, source := range sources {
		object := filepath.Join(dir, strconv.Itoa(i)+".o")
		link = append(link, object)
		last := map[bool]string{true: "-fno-sanitize=all", false: "-w"}[i == 0] // the emulator itself is no kernel
		group.Go(func() error { return run("-include", "emulator.h", "-x", "c++", "-c", source, "-o", object, last) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return run(append(link, "-ldl")...)
}

// copySource copies a file to dir and returns its new name. Dynamic shared memory is an array that CUDA
// declares as extern; here it is a pointer.
func copySource(t *testing.T, name, dir string) string {
	t.Helper()
	text := testkit.Must(os.ReadFile(name))

	s := strings.NewReplacer("extern __shared__ __align__(16) unsigned char shared_bytes[];", "unsigned char *shared_bytes = emulator::shared_memory;",
		"using Word = volatile unsigned long long;", "using Word = emulator::Late;").Replace(string(text))
	testkit.Require(t, name != "segments.cuh" || strings.Contains(s, "Late"), "words would be seen at once")
	to := filepath.Join(dir, name)
	testkit.Succeed(t, os.WriteFile(to, []byte(s), 0o644))
	return to
}

// run makes c's recipe and returns y = A·x as the kernels compute it. y and scratch arrays hold NaN before.
func (e *emulator) run(t *testing.T, m *structure, x []float64, c kernels.Config, seed int64) []float64 {
	t.Helper()
	k, ok := kernels.Lookup(c.Kernel)
	testkit.Require(t, ok, "%s is not in the catalogue", c.Kernel)
	testkit.Succeed(t, k.Check(c))

	v := c.Precision.Bytes()
	r, err := newRecipe(m, c, v)
	testkit.Require(t, err == nil, "%s: %v", c, err)

	yBytes := bytes.Repeat([]byte{0xff}, v*m.Rows)
	if r.Zero {
		clear(yBytes)
	}
	arrays := map[string][]byte{
		rowPtr: packInts(m.RowPtr), colIdx: packInts(m.ColIdx), rowIdx: packInts(rowIndices(m)),
		val: packValues(m.Val, v), vecX: packValues(x, v), vecY: yBytes,
	}

	for a := range r.arrays {
		if a.own != nil {
			arrays[a.array] = packAux(a.own, m, v)
		}
	}

	suffix := map[int]string{4: "_f32", 8: "_f64"}[v]
	steps := slices.DeleteFunc(slices.Clone(r.Steps), func(s step) bool { return s.Grid == 0 })
	for i := range steps {
		steps[i].Entry += suffix
	}
	if own := []string{"tile_counters", "tile_parts"}[seed%2]; arrays[own] != nil { // the next product needs them as they were
		after := e.launch(t, c.String(), arrays, steps, own, seed)
		testkit.Check(t, bytes.Count(after, []byte{0xff}) == len(after), "%s on %s changes %s", c, m, own)
	}
	return unpackValues(e.launch(t, c.String()+" on "+m.String(), arrays, steps, vecY, seed), v)
}

// launch runs steps, whose entries have their whole name, over arrays and returns what
// is in the array result then. what is for messages.
func (e *emulator) launch(t *testing.T, what string, arrays map[string][]byte, steps []step, result string,
	seed int64) []byte {
	t.Helper()
	if e != running {
		t.Skip("another test has ended the emulator")
	}
	var req bytes.Buffer
	put := func(n int) { req.Write(binary.NativeEndian.AppendUint64(nil, uint64(n))) }
	index := map[string]int{}
	put(int(seed))
	put(len(arrays))

	for name, data := range arrays {
		index[name] = len(index)
		put(len(data))
		req.Write(data)
	}

	put(len(steps))
	for _, s := range steps {
		if entryFiles()[s.Entry] == nil && !strings.HasPrefix(s.Entry, blind) {
			t.Fatalf("%s: no PTX has the entry %s", what, s.Entry)
		}
		put(len(s.Entry))
		req.WriteString(s.Entry)
		put(s.Grid)
		put(s.Block)

		put(s.Shared)
		put(len(s.Args))
		for _, a := range s.Args {
			if a.array == "" {
				put(0)
				if a.kept {
					a.value = []int32{0, math.MaxInt32, -1}[uint64(seed)%3] // none, half and all
				}
				put(int(a.value))
				continue
			}

			i, ok := index[a.array]
			testkit.Require(t, ok, "%s: there is no array %s", what, a.array)
			put(1)
			put(i)
		}
	}

	put(index[result])
	_, err := e.in.Write(req.Bytes())
	var size int64
	if err == nil {
		err = binary.Read(e.out, binary.NativeEndian, &size)
	}

	content := make([]byte, size)
	if err == nil {
		_, err = io.ReadFull(e.out, content)
	}
	if err != nil {
		running = nil
		e.cmd.Wait()
		t.Fatalf("%s: %v\n%s", what, err, e.err.String())
	}

	return content
}

func packInts(ints []int32) []byte {
	b := make([]byte, 0, 4*len(ints))
	for _, n := range ints {
		b = binary.NativeEndian.AppendUint32(b, uint32(n))
	}
	return b
}

func packValues(values []float64, v int) []byte {
	b := make([]byte, 0, v*len(values))
	for _, f := range values {
		if v == 4 {
			b = binary.NativeEndian.AppendUint32(b, math.Float32bits(float32(f)))
		} else {
			b = binary.NativeEndian.AppendUint64(b, math.Float64bits(f))
		}
	}
	return b
}

func unpackValues(b []byte, v int) []float64 {
	var values []float64
	for ; len(b) > 0; b = b[v:] {
		if v == 4 {
			values = append(values, float64(math.Float32frombits(binary.NativeEndian.Uint32(b))))
		} else {
			values = append(values, math.Float64frombits(binary.NativeEndian.Uint64(b)))
		}
	}
	return values
}

func packAux(a *aux, m *structure, v int) []byte {
	switch {
	case a.Ints != nil:
		return packInts(a.Ints)
	case a.Vals != nil:
		values := make([]float64, len(a.Vals))
		collect(values, a.Vals, m.Val)
		return packValues(values, v)
	}
	return bytes.Repeat([]byte{map[bool]byte{false: 0xff}[a.Clear]}, int(a.size(v)))
}
