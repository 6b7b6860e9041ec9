package export

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"spmvtune/internal/testing/testkit"
	"spmvtune/store"
)

// A line has a sample in ns and what follows from it. The names of a place stand on lines of their own, and what
// would end a benchmark's name is escaped.
func TestBenchstat(t *testing.T) {
	text, n := written(t, "benchstat", store.Filter{})
	if n != (Count{6, 1}) {
		t.Errorf("%+v", n)
	}
	for _, want := range []string{
		"\n\ndevice: Test GPU\nmatrix: a/b\nprecision: float32\ncache: cold\n\n", "\nmatrix: =sum\n",
		"\nBenchmarkSpMV/kernel=csr_vector/vec=2/block=64/grid=0 4 1000 ns/op 1e+10 flop/s 6e+10 B/s\n" +
			"BenchmarkSpMV/kernel=csr_vector/vec=2/block=64/grid=0 4 990 ns/op ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	testkit.Equal(t, word("a b/c%\n"), "a%20b%2Fc%25%0A", "word")
	testkit.Equal(t, line("a\nBenchmark\u202e"), `a Benchmark\u202e`, "line")
}

// benchstat finds the medians, by the keys of the names.
func TestBenchstatReads(t *testing.T) {
	testkit.Long(t, "compiles benchstat")
	text, _ := written(t, "benchstat", store.Filter{Matrix: "a/b"})
	path := filepath.Join(t.TempDir(), "a.txt")
	testkit.Succeed(t, os.WriteFile(path, []byte(text), 0o666))
	out := string(runModule(t, "golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da",
		"-format", "csv", "-col", "/vec", "-row", "/kernel,/block", "-filter", ".unit:sec/op", path))
	for _, want := range []string{`(?m)^matrix: a/b$`, `(?m)^,,,2,,,,4,`,
		`(?m)^csr_vector 64,,,1(\.0{9}\d*)?e-06,∞,,,2(\.0{9}\d*)?e-06,`} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
}

func TestGoogle(t *testing.T) {
	text, n := written(t, "google-benchmark", store.Filter{})
	var file struct {
		Context    map[string]string
		Benchmarks []googleRun
	}
	if err := json.Unmarshal([]byte(text), &file); err != nil || n != (Count{6, 1}) {
		t.Fatalf("%+v: %v\n%s", n, err, text)
	}
	i := slices.IndexFunc(file.Benchmarks, func(r googleRun) bool {
		return r.Name == "SpMV/matrix:a%2Fb/precision:float32/cache:cold/kernel:csr_vector/vec:2/block:64/grid:0"
	})
	if i < 0 || file.Context["device"] != "Test GPU" {
		t.Fatalf("no such benchmark in\n%s", text)
	}
	if r := file.Benchmarks[i+1]; r.RunName != r.Name || r.RepetitionIndex != 1 || r.Repetitions != 3 ||
		r.RealTime != 990 || r.Iterations != 4 || r.TimeUnit != "ns" || r.RunType != "iteration" {
		t.Errorf("second sample %+v", r)
	}
}

// The tool that comes with Google Benchmark compares two files.
func TestGoogleCompares(t *testing.T) {
	testkit.Long(t, "starts Python with scipy")
	const tool = "/usr/share/benchmark/compare.py" // of Debian's libbenchmark-tools
	if out, err := exec.Command("/usr/bin/python3", tool, "--help").CombinedOutput(); err != nil {
		t.Skipf("no compare.py of Google Benchmark here: %v %s", err, out)
	}
	text, _ := written(t, "google-benchmark", store.Filter{})
	dir := t.TempDir()
	before, after := filepath.Join(dir, "before.json"), filepath.Join(dir, "after.json")
	slower := strings.ReplaceAll(text, `_time":1000,`, `_time":1500,`)
	for path, content := range map[string]string{before: text, after: slower} {
		testkit.Succeed(t, os.WriteFile(path, []byte(content), 0o666))
	}
	out, err := exec.Command("/usr/bin/python3", tool, "--no-color", "benchmarks", before, after).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "+0.5000") || !strings.Contains(string(out), "1000          1500") {
		t.Errorf("%v\n%s", err, out)
	}
}
