// SPDX-License-Identifier: Apache-2.0

// Package configs reads sweep files, which say what to measure: matrices,
// kernels, the choices for each, and the protocol.
//
// A file goes through in one pass. The TOML parser makes a tree of values; [locate] makes a
// tree of the same shape that knows the lines; each section reads its part of both, checks
// every value against the catalogue of kernels, the table of generators and the file system,
// and notes mistakes. All mistakes come back as [Errors]. If there are none, a [Sweep] comes
// back with its defaults filled in. [Help] documents the format.
//
// The package is strict: it refuses unknown keys and values instead of ignoring them, so that a
// sweep that starts measures what its author meant. It opens no matrix and asks no device.
// Choices that depend on them, such as grid sizes per multiprocessor and constraints on the
// number of rows, stay in the [Space] of each kernel section; [Space.Expand] and [Space.Keep]
// resolve them.
package configs

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
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

// newSweep is a sweep that says nothing yet.
func newSweep() *Sweep {
	return &Sweep{Protocol: DefaultProtocol, Search: defaultSearch, Device: defaultDevice, Slurm: defaultSlurm}
}

// Settings are what records keep of a sweep beside its text: how it measures, searches and reports.
type Settings struct {
	Protocol Protocol
	Search   Search
	Report   Report
}

// Settings returns what records keep of the sweep.
func (s *Sweep) Settings() Settings { return Settings{s.Protocol, s.Search, s.Report} }

// Sweep returns the sweep of records.
func (s Settings) Sweep(name, title string, text []byte) *Sweep {
	return &Sweep{Name: name, Title: title, Text: text, Protocol: s.Protocol, Search: s.Search, Report: s.Report}
}

// A finder gives the files of a path in a sweep file.
type finder func(path string) ([]string, error)

// keys are those of the whole file. A section is read after those that it depends on.
func (s *Sweep) keys(find finder) section {
	return section{
		{name: "name", example: `"example"`, read: s.readName,
			doc: "of the output folder; default: the file's name without .toml"},
		{name: "title", example: `"An example"`, into: &s.Title, doc: "of the report; default: none"},
		{name: "protocol", sub: s.Protocol.keys(), check: s.Protocol.check},
		{name: "search", sub: s.Search.keys(find), check: s.Search.check},
		{name: "device", sub: s.Device.keys(), check: s.Device.check},
		{name: "report", sub: s.Report.keys()},
		{name: "slurm", sub: append(s.Slurm.keys(), key{name: "finish", read: s.Slurm.readFinish},
			key{name: "array", read: s.Slurm.readArrays})},
		{name: "matrix", read: func(t *table, key string) { s.readMatrices(t, key, find) }},
		{name: "learn", sub: s.Learn.keys(), check: func(t *table) { t.known(s.Learn.Test, s.Matrices) }},
		{name: "kernel", read: func(t *table, key string) { s.readKernels(t, key, find) }},
	}
}

// sweep reads the whole file.
func (t *table) sweep(path string, find finder) *Sweep {
	s := newSweep()
	s.Name = strings.TrimSuffix(filepath.Base(path), ".toml")
	t.read(s.keys(find))
	for _, key := range []string{"matrix", "kernel"} {
		if len(t.elements(key)) == 0 {
			t.fail(key, fmt.Sprintf("add a [[%s]] section; spmvtune help config shows one", key), "the sweep has none")
		}
	}
	if s.Device.several() && s.Device.Backend != "cpu" && len(s.Kernels) > 0 && !slices.Contains(s.Backends(), "cuda") {
		t.section("device").fail("index", "leave it out", "chooses GPUs, and all kernels of the sweep are for the processor")
	}
	return s
}

// safeName matches names that a folder and a job can have without quoting, if they have mostName letters at most: to
// count them by the expression took a fifth of the time in which the program starts.
var safeName = regexp.MustCompile(`^[\pL\pN][\pL\pN._-]*$`)

const mostName = 100

// readName reads the name of the sweep, which must be safe.
func (s *Sweep) readName(t *table, key string) {
	t.text(key, &s.Name)
	if safeName.MatchString(s.Name) && utf8.RuneCountInString(s.Name) <= mostName {
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
	defined, combinations := map[string]bool{}, 0
	for _, sub := range t.sections(key) {
		space := sub.space(s.Device.Backend, s.Protocol, find)
		if own := space.Custom; own != nil && defined[own.Name] {
			sub.fail("name", "choose another name", "two sections define %s", own.Name)
		} else if own != nil {
			defined[own.Name] = true
		}
		s.Kernels = append(s.Kernels, space)
		if combinations += space.most(); combinations > maxConfigs {
			sub.fail("", "take larger steps", "the choices so far make more than %d combinations", maxConfigs)
			return // others would fill the memory
		}
	}
}

// Backends returns the backends that the sweep's kernels run on, in the order
// "cpu", "cuda".
func (s *Sweep) Backends() []string {
	used := slices.Concat(lists.Of(s.Kernels, Space.chosen)...)
	out := lists.Of(used, func(k kernels.Kernel) string { return k.Backend })

	slices.Sort(out)
	return slices.Compact(out)
}

// Only returns the part of the sweep that runs on one backend.
func (s *Sweep) Only(backend string) *Sweep {
	part := *s
	if backend == "cpu" {
		part.Device = Device{} // one, whatever the GPUs are
	}
	part.Device.Backend = backend
	part.Kernels = nil
	for _, space := range s.Kernels {
		space.Kernels = slices.DeleteFunc(slices.Clone(space.Kernels), func(name string) bool {
			k, ok := space.Lookup(name)
			return !ok || k.Backend != backend
		})
		if len(space.Kernels) > 0 {
			part.Kernels = append(part.Kernels, space)
		}
	}

	return &part
}

//go:embed *.toml
var shipped embed.FS

// Shipped returns the names of the sweeps that come with the program, sorted.
func Shipped() []string {
	entries, _ := shipped.ReadDir(".") // it is part of the program
	return lists.Of(entries, func(e fs.DirEntry) string { return strings.TrimSuffix(e.Name(), ".toml") })
}

// mostBytes are the most that a sweep file has.
const mostBytes = 1e6

// Load reads a sweep: the file at a path or, if there is no such file, the
// shipped sweep of that name. Mistakes in it come as Errors.
func Load(nameOrPath string) (*Sweep, error) { return load(nameOrPath, nil) }

func load(nameOrPath string, look func() error) (*Sweep, error) {
	info, err := os.Stat(nameOrPath)
	if err == nil && !info.IsDir() {
		text, err := files.ReadFile(nameOrPath, mostBytes)
		if err != nil {
			return nil, fmt.Errorf("reading sweep: %w", err)
		}
		return parseHere(nameOrPath, text, look)
	}
	if s, err := LoadShipped(nameOrPath); s != nil || !errors.Is(err, fs.ErrNotExist) {
		return s, err
	}

	problem := "is neither a file nor a shipped sweep"
	if err == nil {
		problem = "is a folder, not a sweep file"
	}
	name := strings.TrimSuffix(filepath.Base(nameOrPath), ".toml")
	hint := Suggest(name, "shipped sweeps", Shipped(), "")
	if _, err := os.Stat(nameOrPath + ".toml"); err == nil {
		hint = fmt.Sprintf("did you mean %q?", nameOrPath+".toml")
	}
	return nil, &Error{File: nameOrPath, Problem: problem, Hint: hint}
}

// LoadShipped reads a sweep that comes with the program.
func LoadShipped(name string) (*Sweep, error) {
	text, err := shipped.ReadFile(name + ".toml")
	if err != nil {
		return nil, err
	}
	return Parse(name, text)
}

// Parse decodes and checks the text of a sweep file. Paths in it are relative
// to the folder of path, which is also what errors call the file. An error is
// of type Errors and holds every mistake of the file, or the first one that
// keeps it from being TOML.
func Parse(path string, text []byte) (*Sweep, error) { return parseHere(path, text, nil) }

func parseHere(path string, text []byte, look func() error) (*Sweep, error) {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("finding the folder of %s: %w", path, err)
	}
	return parseWith(path, text, func(file string) ([]string, error) { return find(dir, file, look) })
}

// ParseOnNode is Parse for a copy of a sweep file: paths in it are relative to dir, an absolute path. Some files may be
// missing, as on a node that does not see all file systems. The matrix of such a file is there, and can't be loaded.
func ParseOnNode(path, dir string, text []byte) (*Sweep, error) {
	return parseWith(path, text, func(file string) ([]string, error) {
		if found, err := find(dir, file, nil); err == nil {
			return found, nil
		}
		return []string{absolute(dir, file)}, nil
	})
}

// parseWith decodes and checks the text of a sweep file. find gives the files of a path
// in it.
func parseWith(path string, text []byte, find finder) (*Sweep, error) {
	places, deep := locate(string(text))
	if deep > 0 {
		return nil, Errors{{File: path, Line: deep, Problem: fmt.Sprintf("keys or brackets are nested more than %d deep",
			deepest)}}
	}
	vals := map[string]any{}
	if _, err := toml.Decode(string(text), &vals); err != nil {
		return nil, Errors{syntaxError(path, text, err)}
	}
	var errs Errors
	top := &table{errs: &errs, file: path, vals: vals, at: places}
	s := top.sweep(path, find)

	s.Path, s.Text = path, text
	if err := errs.err(); err != nil {
		return nil, err
	}
	return s, nil
}

// syntaxError says where a text stops being TOML. It counts lines up to the parser's offset,
// because the parser's own line can be one too low at the end of a file.
func syntaxError(path string, text []byte, err error) *Error {
	e := &Error{
		File: path, Line: 1, Problem: term.OneLine(err.Error()),
		Hint: "this is not TOML; other mistakes show once it is",
	}
	if parse, ok := errors.AsType[toml.ParseError](err); ok {
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
		before := text[:min(max(parse.Position.Start, 0), len(text))]
		e.Line += bytes.Count(before, []byte("\n"))
		e.Key, e.Problem = term.OneLine(parse.LastKey), term.OneLine(parse.Message)
	}

	return e
}
