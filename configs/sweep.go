package configs

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A Sweep is a decoded and checked sweep file, with defaults filled in.
type Sweep struct {
	Name     string
	Title    string
	Protocol Protocol
	Search   Search
	Matrices []Matrix
	Kernels  []Space
	Device   Device
	Learn    Learn
	Report   Report
	Slurm    Slurm

	// Path is where the sweep was read from; "quickstart" for a shipped one.
	Path string
	// Text is the file as it was read.
	Text []byte
}

// A finder gives the files of a path in a sweep file.
type finder func(path string) ([]string, error)

// keys are those of the whole file. A section is read after those that it depends on.
func (s *Sweep) keys(find finder) section {
	return section{
		{"name", `"example"`, "of the output folder; default: the file's name without .toml", s.readName},
		{"title", `"An example"`, "of the report; default: none", text(&s.Title)},
		{name: "protocol", read: func(t *table, key string) { s.Protocol = t.section(key).protocol() }},
		{name: "search", read: func(t *table, key string) { s.Search = t.section(key).search(find) }},
		{name: "device", read: func(t *table, key string) { s.Device = t.section(key).device() }},
		{name: "report", read: func(t *table, key string) { s.Report = t.section(key).report() }},
		{name: "slurm", read: func(t *table, key string) { s.Slurm = t.section(key).slurm() }},
		{name: "matrix", read: func(t *table, key string) { s.readMatrices(t, key, find) }},
		{name: "learn", read: func(t *table, key string) { s.Learn = t.section(key).learn(s.Matrices) }},
		{name: "kernel", read: func(t *table, key string) { s.readKernels(t, key, find) }},
	}
}

// sweep reads the whole file.
func (t *table) sweep(path string, find finder) *Sweep {
	s := &Sweep{Name: strings.TrimSuffix(filepath.Base(path), ".toml")}
	t.read(s.keys(find))
	for _, key := range []string{"matrix", "kernel"} {
		if !t.has(key) || isEmptyList(t.vals[key]) {
			t.fail(key, fmt.Sprintf("add a [[%s]] section; spmvtune help config shows one", key), "the sweep has none")
		}
	}
	if s.Device.several() && s.Device.Backend != "cpu" && len(s.Kernels) > 0 && !slices.Contains(s.Backends(), "cuda") {
		t.section("device").fail("index", "leave it out", "chooses GPUs, and all kernels of the sweep are for the processor")
	}
	return s
}

// safeName matches names that a folder and a job can have without quoting.
var safeName = regexp.MustCompile(`^[\pL\pN][\pL\pN._-]{0,99}$`)

// readName reads the name of the sweep, which must be safe.
func (s *Sweep) readName(t *table, key string) {
	t.text(key, &s.Name)
	if safeName.MatchString(s.Name) {
		return
	}
	hint := "use letters, digits, dots, dashes and underscores, a letter or digit first"
	if t.has(key) {
		t.fail(key, hint, "%q can't name a folder safely", s.Name)
	} else {
		t.fail(key, hint, "is missing, and the file's own name, %q, can't name a folder safely", s.Name)
	}
}

func (s *Sweep) readMatrices(t *table, key string, find finder) {
	var where []*table
	for _, sub := range t.sections(key) {
		for _, m := range sub.matrices(find) {
			s.Matrices = append(s.Matrices, m)
			where = append(where, sub)
		}
	}

	distinct(s.Matrices, where)
	if s.Search.Shuffled {
		shuffle(s.Matrices, s.Protocol.Seed)
	}
}

func (s *Sweep) readKernels(t *table, key string, find finder) {
	for _, sub := range t.sections(key) {
		space := sub.space(s.Device.Backend, s.Protocol, find)
		sub.defined(space, s.Kernels)
		s.Kernels = append(s.Kernels, space)
	}
}
