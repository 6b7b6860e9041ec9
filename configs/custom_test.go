// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"path/filepath"
	"slices"
	"testing"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

// A section with a source defines a kernel, whose configurations are all combinations.
func TestCustomKernel(t *testing.T) {
	s := testkit.Must(Parse(filepath.Join(sources(t), "s.toml"), []byte(aMatrix+`[[kernel]]
name = "mine"
source = "my.cu"
format = "sell"
precision = "float32"
block = [64, 128]
params = { lanes = [1, 2, 4], kind = "fast", chunk = [8] }
shared = "block * value_bytes * lanes"
where = "lanes * 32 <= block"
`)))
	own := s.Custom()
	testkit.EqualLists(t, []any{len(own), own[0].Name, own[0].Entry, own[0].Backend, own[0].Custom, own[0].Launch, own[0].File},
		[]any{1, "mine", "mine", "cuda", true, "(rows + block - 1) / block", "my.cu"}, "its own kernels")
	var got []string
	for c := range s.Kernels[0].Expand(7) {
		if keep, err := s.Kernels[0].Keep(c, 100, 100, 500); err != nil {
			t.Fatal(err)
		} else if keep {
			got = append(got, c.String())
		}
		testkit.Succeed(t, own[0].Check(c))
	}
	want := []string{
		"mine float32 block 64 chunk=8 kind=fast lanes=1 sigma=1024", "mine float32 block 128 chunk=8 kind=fast lanes=1 sigma=1024",
		"mine float32 block 64 chunk=8 kind=fast lanes=2 sigma=1024", "mine float32 block 128 chunk=8 kind=fast lanes=2 sigma=1024",
		"mine float32 block 128 chunk=8 kind=fast lanes=4 sigma=1024",
	}
	testkit.EqualLists(t, got, want, "configurations")
	if b := s.Backends(); !slices.Equal(b, []string{"cuda"}) || len(s.Only("cpu").Kernels) != 0 || len(s.Only("cuda").Custom()) != 1 {
		t.Errorf("it is for %q", b)
	}
}

// On a node, definitions stand in for files that are not there.
func TestCustomOnNode(t *testing.T) {
	text := []byte(aMatrix + "[[kernel]]\nname = \"mine\"\nsource = \"gone.c\"\n")
	s := testkit.Must(ParseOnNode("s.toml", t.TempDir(), text))
	testkit.Fails(t, s.Use(nil), "", "a definition is missing")
	list := []kernels.Custom{{Kernel: kernels.Kernel{Name: "mine", Backend: "cpu"}, Files: map[string]string{"gone.c": "text"}}}
	testkit.Succeed(t, s.Use(list))
	testkit.Equal(t, s.Custom()[0].Files["gone.c"], "text", "the file")
}
