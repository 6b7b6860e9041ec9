// SPDX-License-Identifier: Apache-2.0

package native

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

// builtNVML compiles testdata/nvml.c, and returns the library's path.
func builtNVML(t *testing.T, flags ...string) string {
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
	return path
}

func TestSensors(t *testing.T) {
	want := kernels.Reading{SMClock: 1980, MemoryClock: 2619, Temperature: 34, Power: 71.5, HasReasons: true}
	for _, tt := range []struct {
		name    string
		flags   []string
		reasons kernels.ClockReasons
		energy  float64
	}{
		{"current", nil, kernels.SWPowerCap, 1234.567},
		{"old", []string{"-DOLD"}, kernels.HWSlowdown | kernels.HWThermalSlowdown, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := testkit.Must(openSensors(builtNVML(t, tt.flags...), "GPU-1"))
			want.Reasons = tt.reasons
			testkit.Equal(t, s.Read(), want, "read")
			testkit.Equal(t, s.Energy(), tt.energy, "J")
			testkit.Equal(t, s.Driver(), "535.161.08", "the driver")
			testkit.Succeed(t, s.Close())
		})
	}
}

// A library that is missing, too old, or does not know the GPU gives an error, and
// ends nothing.
func TestOpenSensorsSaysWhy(t *testing.T) {
	text := filepath.Join(t.TempDir(), "libnvidia-ml.so.1")
	testkit.Succeed(t, os.WriteFile(text, []byte("no library"), 0o666))
	current := builtNVML(t)
	for _, tt := range []struct{ name, lib, uuid, want string }{
		{"missing", filepath.Join(t.TempDir(), "none.so"), "GPU-1", "is not found"},
		{"no library", text, "GPU-1", "is not found"},
		{"too old", builtNVML(t, "-DOLDEST"), "GPU-1", "too old: it has no nvmlDeviceGetPowerUsage"},
		{"another GPU", current, "GPU-2", `"GPU-2": Not Found`},
		{"no UUID", current, "", `"": Not Found`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, err := openSensors(tt.lib, tt.uuid)
			if err == nil {
				s.Close()
				t.Fatal("opened")
			}
			testkit.Fails(t, err, tt.want)
		})
	}
}
