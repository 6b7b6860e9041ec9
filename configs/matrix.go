// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/sparse/fetch"
	"example.org/spmvtune/sparse/file"
	"example.org/spmvtune/sparse/generate"
)

// Matrix names one matrix: a file at Path, what Generate makes of Args, or SuiteSparse,
// the matrix Group/Name of the collection. A matrix of the collection may also have
// Generate: its twin, which is measured where the matrix can't be downloaded. Globs are
// expanded already.
//
// A matrix of the collection is resolved once it is known what it is here: a file, a
// download or its twin. Reading a sweep file does not resolve it, because that asks no server.
type Matrix struct {
	Name  string `json:"name"`
	Class string `json:"class"`

	// Path is absolute.
	Path string `json:"path,omitempty"`
	// SuiteSparse is as in "DIMACS10/delaunay_n23".
	SuiteSparse string `json:"suitesparse,omitempty"`
	// Generate is the name of a generator, and Args are its arguments: int64, float64 or string.
	Generate string         `json:"generate,omitempty"`
	Args     map[string]any `json:"args,omitempty"`
	// Twin says that Generate is measured in place of SuiteSparse.
	Twin bool `json:"twin,omitempty"`

	// Expand says that symmetric files are expanded.
	Expand bool `json:"expand"`
	// Complex is "real-part", or "" to refuse complex files.
	Complex string `json:"complex,omitempty"`
}

// Resolved reports whether it is known what m is here.
func (m Matrix) Resolved() bool { return m.SuiteSparse == "" || m.Path != "" || m.Twin }

// HasTwin reports whether something can be measured in place of m.
func (m Matrix) HasTwin() bool { return m.SuiteSparse != "" && m.Generate != "" }

// Downloaded resolves m to the file at path.
func (m Matrix) Downloaded(path string) Matrix {
	m.Path, m.Generate, m.Args = path, "", nil
	return m
}

// Substitution says that a twin is measured, and why.
func (m Matrix) Substitution(why error) string {
	return fmt.Sprintf("%s is generated and measured in place of %s: %v", m.Name, m.SuiteSparse, why)
}

// AsTwin resolves m to its twin. Results of the two have different names, so that
// nothing takes one for the other; so have those of two forms of a twin.
func (m Matrix) AsTwin() Matrix {
	form := generate.TwinLocality(m.Generate, m.Args)
	if form != "" {
		form = ", locality " + form
	}
	m.Twin = true
	m.Name += " (twin" + form + ")"
	return m
}

// matrixKeys are those of [[matrix]]; a generator's arguments are also keys. The section's own
// code reads them, because their meaning depends on which of them are given.
var matrixKeys = section{
	{name: "path", doc: "a file, relative to the sweep file; or a glob (* ? [a-c]), which finds " + globbed()},
	{name: "generate", doc: "a generator; its arguments are keys beside it"},
	{name: "suitesparse", doc: "Group/Name of a matrix of the SuiteSparse collection, https://sparse.tamu.edu"},
	{name: "name", doc: "default: the file's name, or the generator's with its arguments"},
	{name: "class", doc: "matrices of a class count as one family; default: the generator's, or the name"},
	{name: "expand", doc: "of a file; false: keep a symmetric file's triangle as it is"},
	{name: "complex", doc: `of a complex file; "real-part": drop the imaginary parts; default: refuse it`},
	{name: "where",
		doc: "of generated matrices: keep those for which it is true, over rows, cols and nnz as planned from the " +
			"arguments"},
}

// matrices reads a [[matrix]] section: one matrix, or those of the files that find
// gives for a path.
func (t *table) matrices(find finder) []Matrix {
	kinds := []string{"path", "generate", "suitesparse"}
	given := slices.DeleteFunc(slices.Clone(kinds), func(kind string) bool { return !t.has(kind) })
	if len(given) != 1 && !slices.Equal(given, []string{"generate", "suitesparse"}) {
		t.only(append(matrixKeys.names(), argNames(generate.Generators())...))
		hint := `as in path = "A.mtx", or generate = "grid_5pt" with nx and ny`
		if len(given) == 0 {
			t.fail("", hint, "the section names no matrix: give one of %s", list(kinds))
		} else {
			t.fail(given[1], "one [[matrix]] section each; only suitesparse and generate go together",
				"%s and %s can't be given together", given[0], given[1])
		}

		return nil
	}

	var m Matrix
	t.text("name", &m.Name)
	t.text("class", &m.Class)
	if strings.ContainsAny(m.Name, `/\`) {
		t.fail("name", "files are named for it", "%q has a slash in it", m.Name)
	}

	switch {
	case t.has("suitesparse"):
		return t.suiteSparse(m)
	case t.has("path"):
		return t.files(m, find)
	default:
		return t.generated(m)
	}
}

// files completes m for every file that path names.
func (t *table) files(m Matrix, find finder) []Matrix {
	t.only(matrixKeys.without("where").names())
	t.reading(&m)
	var path string
	if t.text("path", &path); path == "" {
		if t.vals["path"] == "" {
			t.fail("path", "paths are relative to the sweep file", "the path is empty")
		}
		return nil
	}

	found, err := find(path)
	if err != nil {
		hint := "paths are relative to the sweep file"
		if errors.Is(err, errFolder) {
			hint = "write " + filepath.Join(path, "*.mtx")
		}
		t.fail("path", hint, "%v", err)
		return nil
	}

	if m.Name != "" && len(found) > 1 {
		t.fail("name", "leave it out, or name one file in path", "one name for the %d files of path", len(found))
		return nil
	}
	out := slices.Repeat([]Matrix{m}, len(found))
	for i, path := range found {
		stem, _ := file.Stem(path)
		out[i].Path = path
		out[i].Name = cmp.Or(m.Name, term.OneLine(stem)) // as a name that is given: on one line
		out[i].Class = cmp.Or(m.Class, out[i].Name)
	}
	return out
}

// reading reads the keys that say how to read a file.
func (t *table) reading(m *Matrix) {
	m.Expand = true
	t.flag("expand", &m.Expand)
	t.choice("complex", &m.Complex, []string{"real-part"})
}

// globbed says which files a glob finds.
func globbed() string {
	var plain, named []string
	for _, ext := range file.Extensions {
		switch {
		case strings.Count(ext, ".") > 1 || ext == ".tgz": // packed
		case file.Found("*", "A"+ext):
			plain = append(plain, ext)
		default:
			named = append(named, ext)
		}
	}

	text := strings.Join(plain, ", ") + ", also packed (.gz, .tar.gz)"
	if len(named) > 0 {
		text += "; and " + strings.Join(named, ", ") + " if it ends so"
	}
	return text
}

// absolute returns path, which may be relative to dir.
func absolute(dir, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(dir, path)
}

var errFolder = errors.New("is a folder")

// folders are those that globs look into.
type folders struct {
	fs.FS
	look  func() error // called for each, if it is not nil
	ended error        // of look: no other is read
}

// ReadDir takes names that are not UTF-8, too, which that of the FS would refuse.
func (f *folders) ReadDir(name string) (entries []fs.DirEntry, err error) {
	if f.ended == nil {
		entries, err = os.ReadDir("/" + name)
	}
	if f.ended == nil && err == nil && f.look != nil {
		f.ended = f.look()
	}
	return entries, err
}

// find returns the file at a path, which may be relative to dir. If there is none, it takes the
// path as a glob and returns the files, sorted.
func find(dir, path string, look func() error) ([]string, error) {
	path = absolute(dir, path)
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s %w", path, errFolder)
	case err == nil:
		return []string{path}, nil
	case !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("opening %s: %w", path, errors.Unwrap(err))
	case !strings.ContainsAny(path, `*?[`):
		return nil, fmt.Errorf("no file %s", path)
	}

	in := &folders{FS: os.DirFS("/"), look: look}
	all, err := fs.Glob(in, strings.TrimPrefix(filepath.Clean(path), "/"))
	if err = cmp.Or(err, in.ended); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	all = lists.Of(all, func(f string) string { return "/" + f })
	found := lists.Where(all, func(f string) bool { return file.Found(path, f) })
	if len(found) == 0 {
		return nil, fmt.Errorf("no file matches %s with a name in %s", path, strings.Join(file.Extensions, ", "))
	}

	return found, nil
}

// suiteSparse completes m for a matrix of the collection, and its twin if there is one.
func (t *table) suiteSparse(m Matrix) []Matrix {
	const key = "suitesparse"
	t.reading(&m)
	t.text(key, &m.SuiteSparse)
	id, err := fetch.ParseID(m.SuiteSparse)
	if _, isText := t.vals[key].(string); isText && err != nil {
		t.fail(key, "", "%v", err)
	}

	m.Name = cmp.Or(m.Name, id.Name)
	if t.has("generate") {
		if g := t.generator(&m, matrixKeys.without("path", "where").names()); g != nil {
			m.Args = t.args(g)
			t.complete(&m, g)
		}
	} else {
		t.only(matrixKeys.without("where").names())
	}

	m.Class = cmp.Or(m.Class, m.Name)
	if err != nil {
		return nil
	}
	return []Matrix{m}
}

// distinct notes names that two matrices share. where holds the section that
// each matrix came from.
func distinct(all []Matrix, where []*table) {
	first := map[string]int{}
	for i, m := range all {
		j, taken := first[m.Name]
		if !taken {
			first[m.Name] = i
			continue
		}
		kinds := []string{"name", "suitesparse", "generate", "path"}
		key := kinds[slices.IndexFunc(kinds, where[i].has)]
		where[i].fail(key, "give one of them a name of its own", "the matrix of line %d is also called %q",
			where[j].at.line, m.Name)
	}
}
