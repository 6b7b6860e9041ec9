package nvrtc

import (
	"os"
	"strings"
	"testing"

	"spmvtune/kernels"
	"spmvtune/kernels/own"
)

// NVRTC compiles a kernel with its headers for a GPU, and its errors have file and line.
func TestCompile(t *testing.T) {
	by, err := New("80")
	if err != nil {
		t.Skip(err)
	}
	o := kernels.Own{Kernel: kernels.Kernel{Name: "mine", Backend: "cuda", Guest: true}, Entry: "mine", File: "src/my.cu",
		Files: map[string]string{
			"src/my.cu": "#include \"../lib/a.h\"\n" +
				"extern \"C\" __global__ void mine(SPMV_REAL *y) { y[threadIdx.x] = FACTOR; }\n",
			"lib/a.h": "#include \"b.h\"\n", "lib/b.h": "#define FACTOR 2\n",
		}}
	c := kernels.Config{Kernel: "mine", Precision: kernels.Float32, Block: 128}
	file, err := own.Build(t.TempDir(), by, o, c)
	if err != nil {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(text), "\x7fELF") {
		t.Errorf("%s is no module: %v", file, err)
	}
	o.Files["lib/b.h"] = "#define FACTOR undeclared\n"
	_, err = own.Build(t.TempDir(), by, o, c)
	if err == nil || !strings.Contains(err.Error(), "does not compile: src/my.cu(2): error") {
		t.Errorf("error is %v", err)
	}
}
