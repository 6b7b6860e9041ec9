// SPDX-License-Identifier: Apache-2.0

package custom

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/kernels"
)

// The most that a kernel's files have together.
const (
	mostFiles = 200
	mostBytes = 4 << 20
)

var include = regexp.MustCompile(`(?m)^[ \t]*#[ \t]*include[ \t]*"([^"\n]+)"`)

// Gather reads a source and all that it and its headers include by "NAME", where NAME is a file
// beside the one that includes it. Others are taken for the compiler's. It returns their texts by
// their path in the deepest folder that has all of them, and that of the source.
func Gather(source string) (list map[string]string, name string, err error) {
	if source, err = filepath.Abs(source); err != nil {
		return nil, "", fmt.Errorf("finding the folder of %s: %w", source, err)
	}
	texts, bytes := map[string]string{}, 0
	todo := []string{source}
	for len(todo) > 0 {
		path := todo[0]
		todo = todo[1:]
		if _, done := texts[path]; done {
			continue
		}
		text, err := files.ReadFile(path, mostBytes)
		if errors.Is(err, fs.ErrNotExist) && path != source {
			continue
		}
		if err != nil {
			return nil, "", err
		}
		texts[path], bytes = string(text), bytes+len(text)
		if len(texts) > mostFiles || bytes > mostBytes {
			return nil, "", fmt.Errorf("%s and what it includes are more than %d files or %d bytes", source, mostFiles,
				mostBytes)
		}

		for _, m := range include.FindAllStringSubmatch(texts[path], -1) {
			if filepath.IsAbs(m[1]) {
				return nil, "", fmt.Errorf("%s includes %q: give a path relative to its folder", path, m[1])
			}
			todo = append(todo, filepath.Join(filepath.Dir(path), filepath.FromSlash(m[1])))
		}
	}

	root := commonFolder(texts, filepath.Dir(source))
	relative := func(path string) string { return filepath.ToSlash(strings.TrimPrefix(path[len(root):], "/")) }
	list = map[string]string{}
	for path, text := range texts {
		list[relative(path)] = text
	}
	return list, relative(source), nil
}

// commonFolder is the deepest folder that has all files, one of which is in root.
func commonFolder(list map[string]string, root string) string {
	for path := range list {
		dir := filepath.Dir(path)
		for root != dir && !strings.HasPrefix(dir, strings.TrimSuffix(root, "/")+"/") {
			root = filepath.Dir(root)
		}
	}
	return root
}

// A Set is the kernels of a sweep that a backend compiles. A backend that embeds one is a kernels.Host.
type Set struct {
	backend  string
	compiler func(kernels.Custom) (*Compiler, error)
	list     []kernels.Custom
	folder   string // of what is compiled
}

// NewSet returns an empty set for a backend, with its compiler.
func NewSet(backend string, compiler func(kernels.Custom) (*Compiler, error)) Set {
	return Set{backend: backend, compiler: compiler}
}

// Adopt makes the kernels of a sweep known.
func (s *Set) Adopt(list []kernels.Custom, folder string) { s.list, s.folder = list, folder }

// Own returns the kernel of the sweep with this name, if the backend compiles it.
func (s *Set) Custom(name string) (kernels.Custom, bool) {
	o, ok := kernels.LookupCustom(s.list, name)
	return o, ok && o.Backend == s.backend && o.Command == nil
}

// Find returns the kernel with this name, of the sweep or of the catalogue.
func (s *Set) Find(name string) (kernels.Kernel, bool) { return kernels.Find(s.list, name) }

// Build compiles kernels of the sweep, several at once. It returns why each can't be compiled, "" where it can.
func (s *Set) Build(list []kernels.Config) []string {
	said := make([]string, len(list))
	err := panics.Each(context.Background(), len(list), func(i int) error {
		o, _ := s.Custom(list[i].Kernel)
		if _, err := s.Compile(o, list[i]); err != nil {
			said[i] = err.Error()
		}
		return nil
	})
	if err != nil {
		panic(err) // a mistake in this program
	}
	return said
}

// Compile returns the file that has a kernel of the sweep.
func (s *Set) Compile(o kernels.Custom, c kernels.Config) (file string, err error) {
	by, err := s.compiler(o)
	if err != nil {
		return "", &kernels.InvalidError{Reason: err.Error()}
	}
	return Build(s.folder, by, o, c)
}

// OwnSource is the identity of a kernel of the sweep.
func (s *Set) CustomSource(o kernels.Custom) string {
	by, _ := s.compiler(o)
	return Source(by, o)
}

//go:embed template
var templates embed.FS

// legal matches names that are safe in C, in a file's name and in a command.
var legal = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,63}$`)

// CheckName says why no kernel of a user's own can have a name.
func CheckName(name string) error {
	if _, taken := kernels.Lookup(name); taken {
		return fmt.Errorf("the catalogue has a kernel that is called %q", name)
	}
	if !legal.MatchString(name) {
		return fmt.Errorf("a kernel of your own can't be called %q: a letter, and then at most 63 letters, digits and "+
			"underscores", name)
	}
	return nil
}

// New writes a kernel that works, and a sweep for it, to a folder, where there must be no files of
// their names: it writes both or none. C is refused beside spmvtune's go.mod, since go builds no package that has it
// without cgo. It returns their paths, the sweep's first.
func Create(dir, name, backend string) (written []string, err error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	sweep, source := "c.toml", "kernel.c"
	if backend == "cuda" {
		sweep, source = "cuda.toml", "kernel.cu"
	} else if text, _ := os.ReadFile(filepath.Join(dir, "go.mod")); strings.HasPrefix(string(text), "module example.org/spmvtune\n") {
		return nil, errors.New("a C file beside spmvtune's go.mod would break `go run .`: call this in a folder of its own, " +
			"as after `mkdir mine && cd mine`")
	}
	defer func() {
		for _, path := range written {
			if err != nil {
				os.Remove(path)
			}
		}
	}()
	for _, from := range []string{sweep, source} {
		text, err := templates.ReadFile("template/" + from)
		if err != nil {
			return nil, err
		}
		path := filepath.Join(dir, name+filepath.Ext(from))
		err = files.Create(path, []byte(strings.ReplaceAll(string(text), "NAME", name)))
		if errors.Is(err, fs.ErrExist) {
			return written, fmt.Errorf("%s is there already", path)
		}
		if err != nil {
			return written, err
		}
		written = append(written, path)
	}
	return written, nil
}
