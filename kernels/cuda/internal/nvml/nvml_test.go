package nvml

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/NVIDIA/go-nvml/pkg/nvml"

	"spmvtune/kernels"
)

// built compiles testdata/nvml.c and returns it as NVML.
func built(t *testing.T, flags ...string) nvml.Interface {
	t.Helper()
	compiler, err := exec.LookPath("cc")
	if err != nil {
		t.Skip("there is no C compiler cc on the PATH")
	}

	path := filepath.Join(t.TempDir(), "libnvidia-ml.so.1")
	cmd := exec.Command(compiler, append(flags, "-shared", "-fPIC", "-o", path, "testdata/nvml.c")...)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("compiling the library: %v\n%s", err, out)
	}
	return nvml.New(nvml.WithLibraryPath(path))
}

// alone runs the calling test again in a process of its own, and reports whether this
// is not it: a symbol that was bound once stays bound to the library it was found in.
func alone(t *testing.T) (done bool) {
	t.Helper()
	const env = "SPMVTUNE_TEST_ALONE"
	if os.Getenv(env) != "" {
		return false
	}

	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "-test.run", "^"+strings.ReplaceAll(t.Name(), "/", "$/^")+"$", "-test.v")
	cmd.Env = append(os.Environ(), env+"=1")
	out, err := cmd.CombinedOutput()

	switch {
	case err != nil:
		t.Errorf("%v\n%s", err, out)
	case !strings.Contains(string(out), "PASS: "+t.Name()):
		t.Skipf("%s", out)
	}
	return true
}

func TestRead(t *testing.T) {
	for _, tt := range []struct {
		name  string
		flags []string
		want  kernels.Reading
	}{
		{"current", nil, kernels.Reading{SMClock: 1980, MemoryClock: 2619, Temperature: 34, Power: 71.5,
			Reasons: kernels.SWPowerCap, HasReasons: true}},
		{"old", []string{"-DOLD"}, kernels.Reading{SMClock: 1980, MemoryClock: 2619,
			Temperature: 34, Power: 71.5, Reasons: kernels.HWSlowdown | kernels.HWThermalSlowdown, HasReasons: true}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if alone(t) {
				return
			}
			s, err := open(built(t, tt.flags...), "GPU-1")
			if err != nil {
				t.Fatal(err)
			}

			if got := s.Read(); got != tt.want {
				t.Errorf("read %+v, want %+v", got, tt.want)
			}
			if got, want := s.Energy(), map[string]float64{"current": 1234.567, "old": 0}[tt.name]; got != want {
				t.Errorf("%g J, want %g", got, want)
			}

			if s.Driver() != "535.161.08" {
				t.Errorf("the driver is %q", s.Driver())
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A library that is missing, too old, or does not know the GPU gives an error, and
// ends nothing.
func TestOpenSaysWhy(t *testing.T) {
	text := filepath.Join(t.TempDir(), "libnvidia-ml.so.1")
	if err := os.WriteFile(text, []byte("no library"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		lib  nvml.Interface
		uuid string
		want string
	}{
		{"missing", nvml.New(nvml.WithLibraryPath(filepath.Join(t.TempDir(), "none.so"))), "GPU-1", "is not found"},
		{"no library", nvml.New(nvml.WithLibraryPath(text)), "GPU-1", "is not found"},
		{"too old", built(t, "-DOLDEST"), "GPU-1", "too old: it has no nvmlDeviceGetPowerUsage"},
		{"another GPU", built(t), "GPU-2", `"GPU-2": Not Found`},
		{"no UUID", built(t), "", `"": Not Found`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := open(tt.lib, tt.uuid)
			if err == nil {
				s.Close()
				t.Fatal("opened")
			}

			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q in it", err, tt.want)
			}
		})
	}
}
