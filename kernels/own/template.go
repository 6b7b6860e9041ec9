package own

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"spmvtune/internal/base/files"
	"spmvtune/kernels"
)

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
// their names: it writes both or none. It returns their paths, the sweep's first.
func New(dir, name, backend string) (written []string, err error) {
	if err := CheckName(name); err != nil {
		return nil, err
	}
	ending := ".c"
	if backend == "cuda" {
		ending = ".cu"
	}
	from := map[string]string{name + ".toml": "cuda.toml", name + ending: "kernel" + ending}
	if ending == ".c" {
		from[name+".toml"] = "c.toml"
	}
	defer func() {
		for _, path := range written {
			if err != nil {
				os.Remove(path)
			}
		}
	}()
	for _, file := range []string{name + ".toml", name + ending} {
		text, err := templates.ReadFile("template/" + from[file])
		if err != nil {
			return nil, err
		}
		path := filepath.Join(dir, file)
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
