package configs

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"spmvtune/internal/base/files"
)

//go:embed *.toml
var shipped embed.FS

// Shipped returns the names of the sweeps that come with the program, sorted.
func Shipped() []string {
	entries, err := shipped.ReadDir(".")
	if err != nil {
		return nil // impossible: the folder is part of the program
	}
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), ".toml"))
	}
	return names
}

// mostBytes are the most that a sweep file has.
const mostBytes = 1e6

// Load reads a sweep: the file at a path or, if there is no such file, the
// shipped sweep of that name. Mistakes in it come as Errors.
func Load(nameOrPath string) (*Sweep, error) {
	info, err := os.Stat(nameOrPath)
	if err == nil && !info.IsDir() {
		text, err := files.ReadFile(nameOrPath, mostBytes)
		if err != nil {
			return nil, fmt.Errorf("reading sweep: %w", err)
		}
		return Parse(nameOrPath, text)
	}
	if text, err := shipped.ReadFile(nameOrPath + ".toml"); err == nil {
		return Parse(nameOrPath, text)
	}

	problem := "is neither a file nor a shipped sweep"
	if err == nil {
		problem = "is a folder, not a sweep file"
	}
	name := strings.TrimSuffix(filepath.Base(nameOrPath), ".toml")
	return nil, &Error{File: nameOrPath, Problem: problem, Hint: suggest(name, "shipped sweeps", Shipped())}
}

// Parse decodes and checks the text of a sweep file. Paths in it are relative
// to the folder of path, which is also what errors call the file. An error is
// of type Errors and holds every mistake of the file, or the first one that
// keeps it from being TOML.
func Parse(path string, text []byte) (*Sweep, error) {
	dir, err := filepath.Abs(filepath.Dir(path))
	if err != nil {
		return nil, fmt.Errorf("finding the folder of %s: %w", path, err)
	}
	return ParseIn(path, dir, text)
}

// ParseIn is Parse for a copy of a sweep file: paths in it are relative to dir, an
// absolute path.
func ParseIn(path, dir string, text []byte) (*Sweep, error) {
	return parseWith(path, text, func(file string) ([]string, error) { return find(dir, file) })
}

// ParseOnNode is ParseIn where some files may be missing, as on a node that does
// not see all file systems. The matrix of such a file is there, and can't be loaded.
func ParseOnNode(path, dir string, text []byte) (*Sweep, error) {
	return parseWith(path, text, func(file string) ([]string, error) {
		found, err := find(dir, file)
		if err != nil {
			return []string{absolute(dir, file)}, nil
		}
		return found, nil
	})
}

// parseWith decodes and checks the text of a sweep file. find gives the files of a path
// in it.
func parseWith(path string, text []byte, find finder) (*Sweep, error) {
	places, deep := locate(string(text))
	if deep > 0 {
		return nil, Errors{{File: path, Line: deep, Problem: fmt.Sprintf("more than %d keys or brackets within each other",
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
		File: path, Line: 1, Problem: printable(err.Error()),
		Hint: "this is not TOML; other mistakes show once it is",
	}
	var parse toml.ParseError
	if errors.As(err, &parse) {
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
		before := text[:min(max(parse.Position.Start, 0), len(text))]
		e.Line += bytes.Count(before, []byte("\n"))
		e.Key, e.Problem = printable(parse.LastKey), printable(parse.Message)
	}

	return e
}
