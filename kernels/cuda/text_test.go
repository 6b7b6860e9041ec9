package cuda

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"os"

	"spmvtune/internal/testing/testkit"
	"spmvtune/kernels"
)

// The text of each kernel has no include left. Those of plain CSR and COO say how they are launched, and compile by
// themselves.
func TestText(t *testing.T) {
	nvcc, err := exec.LookPath("nvcc")
	compiled := map[string]bool{"csr_scalar": err == nil, "coo_atomic": err == nil}
	for name := range recipes {
		k, _ := kernels.Lookup(name)
		c := kernels.Config{Kernel: name, Precision: kernels.Float32, Block: 256, Grid: 4, Params: k.Complete("")}
		text := testkit.Must(Text(k, c, 8))
		if strings.Contains(text, "#include \"") || strings.Contains(text, "#pragma once") {
			t.Errorf("%s includes what is not in it", name)
		}
		if !compiled[name] {
			continue
		}
		testkit.Says(t, name, text, name+"_f32<<<")
		file := filepath.Join(t.TempDir(), "k.cu")
		testkit.Succeed(t, os.WriteFile(file, []byte(text), 0o666))
		if out, err := exec.Command(nvcc, "-arch=compute_60", "-ptx", "-std=c++17", "-o", file+".ptx", file).CombinedOutput(); err != nil {
			t.Errorf("%s does not compile: %s", name, out)
		}
	}
}
