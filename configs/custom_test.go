package configs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"spmvtune/kernels"
)

// customSweep parses a [[kernel]] section in a folder with the sources my.c, my.cu and my.h.
func customSweep(t *testing.T, section string) (*Sweep, string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"my.c": "#include \"my.h\"\n", "my.cu": "", "my.h": "", "my.txt": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s, err := ParseIn("s.toml", dir, []byte(aMatrix+"[[kernel]]\n"+section))
	return s, dir, err
}

// A section with a source defines a kernel, whose configurations are all combinations.
func TestCustomKernel(t *testing.T) {
	s, _, err := customSweep(t, `name = "mine"
source = "my.cu"
format = "sell"
precision = "float32"
block = [64, 128]
params = { lanes = [1, 2, 4], kind = "fast", chunk = [8] }
shared = "block * value_bytes * lanes"
where = "lanes * 32 <= block"
`)
	if err != nil {
		t.Fatal(err)
	}
	own := s.Custom()
	if len(own) != 1 || own[0].Name != "mine" || own[0].Entry != "mine" || own[0].Backend != "cuda" || !own[0].Custom ||
		own[0].Launch != "(rows + block - 1) / block" || own[0].File != "my.cu" {
		t.Errorf("%+v", own)
	}
	var got []string
	for c := range s.Kernels[0].Expand(7) {
		if keep, err := s.Kernels[0].Keep(c, 100, 100, 500); err != nil {
			t.Fatal(err)
		} else if keep {
			got = append(got, c.String())
		}
		if err := own[0].Check(c); err != nil {
			t.Error(err)
		}
	}
	want := []string{
		"mine float32 block 64 chunk=8 kind=fast lanes=1 sigma=1024", "mine float32 block 128 chunk=8 kind=fast lanes=1 sigma=1024",
		"mine float32 block 64 chunk=8 kind=fast lanes=2 sigma=1024", "mine float32 block 128 chunk=8 kind=fast lanes=2 sigma=1024",
		"mine float32 block 128 chunk=8 kind=fast lanes=4 sigma=1024",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%s\nwant %s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if b := s.Backends(); !slices.Equal(b, []string{"cuda"}) || len(s.Only("cpu").Kernels) != 0 || len(s.Only("cuda").Custom()) != 1 {
		t.Errorf("it is for %q", b)
	}
}

func TestCustomMistakes(t *testing.T) {
	const right = "name = \"mine\"\nsource = \"my.cu\"\n" // lines 5 and 6
	for text, want := range map[string]string{
		"name = \"csr_scalar\"\nsource = \"my.cu\"":                              "5: kernel.name: the catalogue has a kernel",
		"name = \"a b\"\nsource = \"my.cu\"":                                     "can't be called \"a b\"",
		"name = [\"a\", \"b\"]\nsource = \"my.cu\"":                              "5: kernel.name: want a string",
		"name = \"a\\u001b[31m\"\nsource = \"my.cu\"":                            "5: kernel.name",
		"name = \"mine\"\nsource = \"gone.cu\"":                                  "6: kernel.source",
		"name = \"mine\"\nsource = \"my.txt\"":                                   "6: kernel.source: \"my.txt\" has no ending",
		"name = \"mine\"\nsource = \"*.cu\"":                                     "6: kernel.source: \"*.cu\" is a pattern",
		"name = \"mine\"\nsource = 3":                                            "6: kernel.source: want a string",
		right + "entry = \"f(); exit\"":                                          "7: kernel.entry",
		right + "format = \"bsr\"":                                               "7: kernel.format",
		right + "blocks = \"colums\"":                                            "7: kernel.blocks: unknown variable \"colums\"",
		right + "shared = \"1 / 0\"":                                             "7: kernel.shared: it divides by zero",
		right + "params = [1]":                                                   "7: kernel.params: want a table",
		right + "params = { block = [1] }":                                       "no parameter can be called \"block\"",
		right + "params = { UNROLL = [1] }":                                      "no parameter can be called \"UNROLL\"",
		right + "params = { a = [\"1; rm\"] }":                                   "neither a number nor a name",
		right + "params = { a = [1.5] }":                                         "want an integer or a name",
		right + "format = \"sell\"\nparams = { chunk = [0] }":                    "chunk is \"0\"",
		right + "lanes = 3":                                                      "7: kernel.lanes: unknown key",
		right + "block = [2048]":                                                 "7: kernel.block: 2048 is impossible",
		right + "where = \"unroll > 1\"":                                         "unknown variable \"unroll\"",
		right + "[[kernel]]\n" + right:                                           "8: kernel.name: two sections define mine",
		"name = \"mine\"\nsource = \"my.c\"\nblocks = \"1\"":                     "7: kernel.blocks: only kernels for a GPU",
		"name = \"mine\"\ncommand = \"true {matrix} {y}\"\nparams = { y = [1] }": "no parameter can be called \"y\"",
		right + "[device]\nbackend = \"cpu\"":                                    "6: kernel.source: my.cu runs on cuda",
	} {
		_, _, err := customSweep(t, text)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\ngives %v, want %q", text, err, want)
		}
	}
}

// On a node, definitions stand in for files that are not there.
func TestCustomOnNode(t *testing.T) {
	text := []byte(aMatrix + "[[kernel]]\nname = \"mine\"\nsource = \"gone.c\"\n")
	s, err := ParseOnNode("s.toml", t.TempDir(), text)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Use(nil); err == nil {
		t.Error("a definition is missing, and nobody says so")
	}
	list := []kernels.Custom{{Kernel: kernels.Kernel{Name: "mine", Backend: "cpu"}, Files: map[string]string{"gone.c": "text"}}}
	if err := s.Use(list); err != nil || s.Custom()[0].Files["gone.c"] != "text" {
		t.Errorf("%v, %+v", err, s.Custom())
	}
}
