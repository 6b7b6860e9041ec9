package configs

import (
	"slices"
	"testing"
)

func TestBackends(t *testing.T) {
	s, err := Parse("mixed.toml", []byte(`
[[matrix]]
generate = "grid_5pt"
nx = 3
ny = 3
[[kernel]]
name = ["csr_scalar", "cpu_csr", "csr_vector"]
block = 64
[[kernel]]
name = "cpu_coo"
`))
	if err != nil {
		t.Fatal(err)
	}

	if got := s.Backends(); !slices.Equal(got, []string{"cpu", "cuda"}) {
		t.Errorf("backends %v", got)
	}
	cpu, cuda := s.Only("cpu"), s.Only("cuda")
	if len(cpu.Kernels) != 2 || !slices.Equal(cpu.Kernels[0].Kernels, []string{"cpu_csr"}) ||
		cpu.Device.Backend != "cpu" {
		t.Errorf("cpu part: %+v on %s", cpu.Kernels, cpu.Device.Backend)
	}

	if len(cuda.Kernels) != 1 || !slices.Equal(cuda.Kernels[0].Kernels, []string{"csr_scalar", "csr_vector"}) {
		t.Errorf("cuda part: %+v", cuda.Kernels)
	}
	if len(s.Kernels[0].Kernels) != 3 || s.Device.Backend != "auto" {
		t.Errorf("the sweep itself has changed: %+v", s.Kernels)
	}
}

// Every shipped sweep is one, with a title for the list of sweeps.
func TestShippedSweepsLoad(t *testing.T) {
	for _, name := range Shipped() {
		s, err := Load(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}

		if s.Title == "" || s.Name != name {
			t.Errorf("%s: name %q, title %q", name, s.Name, s.Title)
		}
	}
}
