// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"errors"
	stdflag "flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
	"example.org/spmvtune/kernels"
)

// parse reads a sweep that must be right.
func parse(t *testing.T, text string) *Sweep {
	t.Helper()
	s, err := Parse("s.toml", []byte(text))
	testkit.Require(t, err == nil, "unexpected mistakes:\n%v", err)
	return s
}

// mistakes reads a sweep that must be wrong.
func mistakes(t *testing.T, text string) Errors {
	t.Helper()
	s, err := Parse("s.toml", []byte(text))
	var es Errors
	testkit.Require(t, errors.As(err, &es), "got %+v, %v; want Errors", s, err)
	return es
}

func TestSyntaxErrorHasItsLine(t *testing.T) {
	for _, tt := range []struct {
		text string
		line int
		key  string
	}{
		{"[protocol]\nwarmup = 3\ncache = warm\n", 3, "protocol.cache"},
		{"title = \"a\"\n\"na\\", 2, ""}, // at the end of the file
		{"title = \"a\n\"\n", 1, "title"},
		{"title = 1\n\ntitle = 2\n", 3, "title"},
		{"\ufeff\ntitle = \n", 2, "title"},
	} {
		es := mistakes(t, tt.text)
		testkit.EqualLists(t, []any{len(es), es[0].Line, es[0].Key}, []any{1, tt.line, tt.key}, "mistakes of %q", tt.text)
	}
}

func TestDefaults(t *testing.T) {
	s := testkit.Must(Parse("some/where/block-size.toml", []byte(minimal)))
	testkit.EqualLists(t, []string{s.Name, s.Path, string(s.Text)}, []string{"block-size", "some/where/block-size.toml", minimal}, "sweep")

	want := Protocol{Cache: "cold", Warmup: 3, Samples: [2]int{10, 200}, Target: 0.01, Budget: 2 * time.Second,
		Timeout: time.Minute, Seed: 1, Slow: 3, Launch: kernels.Graph, Sentinel: 50, Finals: 32, Repeats: 12}
	testkit.Equal(t, s.Protocol, want, "protocol")

	if s.Search != (Search{Strategy: "grid"}) || !reflect.DeepEqual(s.Device, Device{Backend: "auto"}) {
		t.Errorf("search %+v, device %+v", s.Search, s.Device)
	}
	m := Matrix{Name: "mycielskian-4", Class: "mycielskian", Generate: "mycielskian",
		Args: map[string]any{"order": int64(4)}, Expand: true}
	testkit.Check(t, reflect.DeepEqual(s.Matrices, []Matrix{m}), "matrices %+v", s.Matrices)

	k := s.Kernels[0]
	if !slices.Equal(k.Precisions, []kernels.Precision{"float32", "float64"}) || len(k.Block) != 0 || !k.Grid.Auto ||
		k.Where != "" {
		t.Errorf("space %+v", k)
	}
}

func TestMatrixFiles(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"m/b.mtx.gz", "m/a.mtx", "m/INDEX.tsv", "odd[1].mtx", "plain", "lines/a\nb.mtx",
		"kinds/a.rb", "kinds/b.tar.gz", "kinds/README.txt", "kinds/c.txt.gz"} {
		path := filepath.Join(dir, name)
		testkit.Succeed(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)))
	}
	read := func(section string) ([]Matrix, error) {
		t.Helper()
		s, err := Parse(filepath.Join(dir, "s.toml"),
			[]byte("[[matrix]]\n"+section+"\n[[kernel]]\nname = \"cpu_csr\"\n"))
		if err != nil {
			return nil, err
		}
		return s.Matrices, nil
	}

	for _, tt := range []struct {
		section string
		want    []Matrix
	}{
		{`path = "lines/*"`, []Matrix{
			{Name: "a b", Class: "a b", Path: filepath.Join(dir, "lines/a\nb.mtx"), Expand: true},
		}},
		{`path = "m/*"`, []Matrix{
			{Name: "a", Class: "a", Path: filepath.Join(dir, "m/a.mtx"), Expand: true},
			{Name: "b", Class: "b", Path: filepath.Join(dir, "m/b.mtx.gz"), Expand: true},
		}},
		{"path = \"odd[1].mtx\"\nname = \"odd\"\nclass = \"LP\"\nexpand = false\ncomplex = \"real-part\"", []Matrix{
			{Name: "odd", Class: "LP", Path: filepath.Join(dir, "odd[1].mtx"), Complex: "real-part"},
		}},
		{`path = "kinds/*"`, []Matrix{ // notes are called .txt, too
			{Name: "a", Class: "a", Path: filepath.Join(dir, "kinds/a.rb"), Expand: true},
			{Name: "b", Class: "b", Path: filepath.Join(dir, "kinds/b.tar.gz"), Expand: true},
		}},
		{`path = "kinds/*.txt.gz"`, []Matrix{{Name: "c", Class: "c", Path: filepath.Join(dir, "kinds/c.txt.gz"),
			Expand: true}}},
		{`path = "plain"`, []Matrix{{Name: "plain", Class: "plain", Path: filepath.Join(dir, "plain"), Expand: true}}},
	} {
		got, err := read(tt.section)
		testkit.Check(t, err == nil && reflect.DeepEqual(got, tt.want), "%s: got %+v, %v", tt.section, got, err)
	}

	for section, want := range map[string]string{
		`path = "m"`:                         "is a folder",
		`path = "m/*.tsv"`:                   "no file matches",
		"path = \"m/*\"\nname = \"both\"":    "one name for the 2 files",
		"path = \"m/[\"":                     "syntax error in pattern",
		"path = \"plain/x.mtx\"":             "not a directory",
		"path = \"m/a.mtx\"\nname = \"a/b\"": "slash",
	} {
		testkit.Fails(t, testkit.Err(read(section)), want, "%s", section)
	}
}

// What a glob looks into is told, whatever its name, and can end it.
func TestGlobTells(t *testing.T) {
	dir := t.TempDir()
	testkit.Succeed(t, errors.Join(os.MkdirAll(filepath.Join(dir, "a/b"), 0o777), os.Mkdir(filepath.Join(dir, "b\xff"), 0o777)))
	sweep := filepath.Join(dir, "s.toml")
	testkit.Succeed(t, os.WriteFile(sweep, []byte("[[matrix]]\npath = \"*/*/*\"\n[[kernel]]\nname = \"cpu_csr\"\n"), 0o666))
	for end, want := range []int{1, 2, 3, 4, 4} {
		looked := 0
		_, err := LoadOnce(sweep, Once{Look: func() error {
			if looked++; looked > end {
				return errors.New("interrupted")
			}
			return nil
		}})
		testkit.Check(t, err != nil && looked == want, "%d folders are looked into, want %d: %v", looked, want, err)
	}
}

func TestLoad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.toml")
	testkit.Succeed(t, os.WriteFile(path, []byte(minimal), 0o644))
	s, err := Load(path)
	testkit.Check(t, err == nil && s.Name == "mine" && s.Path == path, "a path: got %+v, %v", s, err)

	for name, want := range map[string]string{
		"quikstart":   `did you mean "quickstart"?`,
		"./none.toml": "neither a file nor a shipped sweep",
		t.TempDir():   "is a folder",
	} {
		testkit.Fails(t, testkit.Err(Load(name)), want, "%s", name)
	}
}

func TestShippedSweepsAreRight(t *testing.T) {
	testkit.Require(t, slices.Contains(Shipped(), "quickstart"), "no quickstart among %v", Shipped())
	for _, name := range Shipped() {
		s, err := Load(name)
		if err != nil {
			t.Errorf("%s:\n%v", name, err)
			continue
		}

		testkit.Equal(t, s.Name+s.Path, name+name, "name and path")
		testkit.Check(t, s.Title != "", "%s has no title", name)

		for _, space := range s.Kernels {
			for c := range space.Expand(2) {
				k, _ := kernels.Lookup(c.Kernel)
				testkit.Succeed(t, k.Check(c))
			}
		}
	}
}

// The quickstart is what the first minute shows: eight structures, all of the
// processor's kernels, both precisions, every worker count, and at least
// four block sizes wherever there is a choice.
func TestQuickstartCoversTheProcessor(t *testing.T) {
	s := testkit.Must(Load("quickstart"))
	testkit.Equal(t, len(s.Matrices), 8, "matrices")

	blocks, grids := map[string][]int{}, map[string][]int{}
	precisions := map[kernels.Precision]bool{}
	trials := 0
	for _, space := range s.Kernels {
		for c := range space.Expand(2) {
			blocks[c.Kernel], grids[c.Kernel] = append(blocks[c.Kernel], c.Block), append(grids[c.Kernel], c.Grid)
			precisions[c.Precision] = true
			trials += len(s.Matrices)
		}
	}
	for _, k := range kernels.Catalogue {
		blocks, grids := distinctValues(blocks[k.Name]), distinctValues(grids[k.Name])
		if k.Backend == "cpu" && (len(blocks) == 0 || k.Block != "" && len(blocks) < 4 ||
			k.Grid != "" && !(slices.Contains(grids, 1) && slices.Contains(grids, 2))) {
			t.Errorf("%s has block sizes %v and grids %v: quickstart.toml tries four blocks and both grids of every kernel",
				k.Name, blocks, grids)
		}
	}
	testkit.Equal(t, len(precisions), 2, "precisions %v", precisions)

	// More would not fit the minute that the quickstart may take.
	if most := time.Duration(trials) * s.Protocol.Budget; most > 30*time.Second {
		t.Errorf("%d trials of up to %v sample for %v, 30s at most: let some kernel try less", trials, s.Protocol.Budget,
			most)
	}
}

func TestBackends(t *testing.T) {
	s := parse(t, aMatrix+`[[kernel]]
name = ["csr_scalar", "cpu_csr", "csr_vector"]
block = 64
[[kernel]]
name = "cpu_coo"
`)
	testkit.EqualLists(t, s.Backends(), []string{"cpu", "cuda"}, "backends")
	cpu, cuda := s.Only("cpu"), s.Only("cuda")
	if len(cpu.Kernels) != 2 || !slices.Equal(cpu.Kernels[0].Kernels, []string{"cpu_csr"}) ||
		cpu.Device.Backend != "cpu" {
		t.Errorf("cpu part: %+v on %s", cpu.Kernels, cpu.Device.Backend)
	}

	if len(cuda.Kernels) != 1 || !slices.Equal(cuda.Kernels[0].Kernels, []string{"csr_scalar", "csr_vector"}) {
		t.Errorf("cuda part: %+v", cuda.Kernels)
	}
	testkit.EqualLists(t, []any{len(s.Kernels[0].Kernels), s.Device.Backend}, []any{3, "auto"}, "the sweep itself")
}

// On a node that does not see all files, the sweep is still whole.
func TestParseOnNode(t *testing.T) {
	dir := t.TempDir()
	testkit.Succeed(t, os.WriteFile(filepath.Join(dir, "a.mtx"), nil, 0o666))
	const text = "name = \"s\"\n[[matrix]]\npath = \"a.mtx\"\n[[matrix]]\npath = \"gone/b.mtx\"\n[[kernel]]\n" +
		"name = \"cpu_csr\"\n"
	testkit.Fails(t, testkit.Err(Parse(filepath.Join(dir, "s.toml"), []byte(text))), "", "a matrix that is not there")

	s := testkit.Must(ParseOnNode("elsewhere/s.toml", dir, []byte(text)))
	for i, want := range []string{"a.mtx", "gone/b.mtx"} {
		testkit.Equal(t, s.Matrices[i].Path, filepath.Join(dir, want), "matrix %d", i)
	}

	testkit.Equal(t, s.Matrices[1].Name, "b", "it is called")
	testkit.Fails(t, testkit.Err(ParseOnNode("s.toml", dir, []byte(strings.Replace(text, "path", "pth", 1)))), "", "a mistake")
}

var regen = stdflag.Bool("regen", false, "write the format of a sweep file into the documentation")

// The documentation has every key, as `spmvtune help config` does; docs/matrices.md has the generators,
// and docs/searching.md the strategies.
func TestDocumentation(t *testing.T) {
	const width = 120
	var b strings.Builder
	intro, sections := helpParts(width)
	b.WriteString(intro)
	for _, s := range sections {
		b.WriteString("## " + s.heading + "\n\n```toml\n" + s.text + "```\n\n")
	}
	elsewhere := strings.NewReplacer(generators(width), "#     (in matrices.md)\n", strategies(width), "#     (in searching.md)\n")
	testkit.Section(t, "../docs/sweep.md", "<!-- help config -->\n", "<!-- end -->\n", elsewhere.Replace(b.String()), *regen)
}

// Sweeps of testdata are right, but for files that a reader puts beside them.
func TestSweepsOfTestdata(t *testing.T) {
	for _, name := range testkit.Must(filepath.Glob("testdata/*.toml")) {
		_, err := Load(name)
		missing := err != nil && strings.Contains(err.Error(), "no file matches") && !strings.Contains(err.Error(), "\n")
		testkit.Check(t, err == nil || missing, "%s: %v", name, err)
	}
}
