package cuda

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spmvtune/kernels"
)

// An emulator runs recipes on the processor, from the kernels' own source, which
// a C++ compiler reads under testdata/emulator/emulator.h.
type emulator struct {
	in  io.Writer
	out *bufio.Reader
	cmd *exec.Cmd
	err bytes.Buffer
}

// newEmulator compiles sources, named without ending. The test is skipped where
// there is no compiler.
func newEmulator(t *testing.T, sources ...string) *emulator {
	t.Helper()
	compiler, err := exec.LookPath("g++")
	if err != nil {
		t.Skipf("running kernels without a GPU needs a C++ compiler: %v", err)
	}

	dir := t.TempDir()
	headers, err := filepath.Glob("*.cuh")
	if err != nil {
		t.Fatal(err)
	}

	for _, name := range headers {
		copySource(t, name, dir)
	}
	program := filepath.Join(dir, "emulator")
	args := []string{
		"-std=c++17", "-O1", "-g", "-w", "-rdynamic", "-fsanitize=address,undefined", "-fno-sanitize-recover",
		"-I", "testdata/emulator", "testdata/emulator/emulator.cpp", "-include", "emulator.h", "-x", "c++",
	}

	for _, name := range sources {
		args = append(args, copySource(t, name+".cu", dir))
	}
	if text, err := exec.Command(compiler, append(args, "-ldl", "-o", program)...).CombinedOutput(); err != nil {
		t.Fatalf("compiling the kernels for the processor: %v\n%s", err, text)
	}

	e := &emulator{cmd: exec.Command(program)}
	e.cmd.Env = append(os.Environ(), "ASAN_OPTIONS=detect_leaks=0:detect_stack_use_after_return=0")
	e.cmd.Stderr = &e.err
	stdin, err := e.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}

	stdout, err := e.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	e.in, e.out = stdin, bufio.NewReader(stdout)
	if err := e.cmd.Start(); err != nil {
		t.Fatal(err)
	}

	t.Cleanup(func() {
		stdin.Close()
		e.cmd.Wait() // a failure was reported by run
	})
	return e
}

// copySource copies a file to dir and returns its new name. Dynamic shared memory is an array that CUDA
// declares as extern; here it is a pointer.
func copySource(t *testing.T, name, dir string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}

	s := strings.ReplaceAll(string(text), "extern __shared__ __align__(16) unsigned char shared_bytes[];",
		"unsigned char *shared_bytes = emulator::shared_memory;")
	to := filepath.Join(dir, name)
	if err := os.WriteFile(to, []byte(s), 0o644); err != nil {
		t.Fatal(err)
	}
	return to
}

// run makes c's recipe, checks that it fits what was compiled to PTX, and returns
// y = A·x as the kernels compute it. y and scratch arrays hold NaN before.
func (e *emulator) run(t *testing.T, m *structure, x []float64, c kernels.Config, seed int64) []float64 {
	t.Helper()
	k, ok := kernels.Lookup(c.Kernel)
	if !ok {
		t.Fatalf("%s is not in the catalogue", c.Kernel)
	}
	if err := k.Check(c); err != nil {
		t.Fatalf("%s: %v", c, err)
	}

	v := c.Precision.Bytes()
	r, _, err := newRecipe(m, c, v)
	if err != nil {
		t.Fatalf("%s: %v", c, err)
	}

	yBytes := bytes.Repeat([]byte{0xff}, v*m.Rows)
	if r.Zero {
		clear(yBytes)
	}
	arrays := map[string][]byte{
		rowPtr: packInts(m.RowPtr), colIdx: packInts(m.ColIdx), rowIdx: packInts(rowsOf(m)),
		val: packValues(m.Val, v), vecX: packValues(x, v), vecY: yBytes,
	}

	for _, a := range r.Aux {
		if _, ok := arrays[a.Name]; ok {
			t.Fatalf("%s: two arrays are called %s", c, a.Name)
		}
		arrays[a.Name] = packAux(a, m, v)
		if slices.Contains(r.Clear, a.Name) {
			clear(arrays[a.Name])
		}
	}

	suffix := map[int]string{4: "_f32", 8: "_f64"}[v]
	steps := slices.DeleteFunc(slices.Clone(r.Steps), func(s step) bool { return s.Grid == 0 })
	for i := range steps {
		steps[i].Entry += suffix
	}
	return unpackValues(e.launch(t, c.String()+" on "+m.String(), arrays, steps, vecY, seed), v)
}

// launch runs steps, whose entries have their whole name, over arrays and returns what
// is in the array result then. what is for messages.
func (e *emulator) launch(t *testing.T, what string, arrays map[string][]byte, steps []step, result string,
	seed int64) []byte {
	t.Helper()
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
		if entryFiles()[s.Entry] == nil {
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
				put(int(a.value))
				continue
			}

			i, ok := index[a.array]
			if !ok {
				t.Fatalf("%s: there is no array %s", what, a.array)
			}
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
		e.cmd.Wait()
		t.Fatalf("%s: %v\n%s", what, err, e.err.String())
	}

	return content
}

// rowsOf gives every nonzero's row.
func rowsOf(m *structure) []int32 {
	rows := make([]int32, m.NNZ())
	for i := range m.Rows {
		for k := m.RowPtr[i]; k < m.RowPtr[i+1]; k++ {
			rows[k] = int32(i)
		}
	}
	return rows
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

func packAux(a aux, m *structure, v int) []byte {
	switch {
	case a.Ints != nil:
		return packInts(a.Ints)
	case a.Vals != nil:
		values := make([]float64, len(a.Vals))
		for i, k := range a.Vals {
			if k >= 0 {
				values[i] = m.Val[k]
			}
		}
		return packValues(values, v)
	case a.Values > 0:
		return bytes.Repeat([]byte{0xff}, v*a.Values)
	}

	return bytes.Repeat([]byte{0xff}, a.Bytes)
}
