package own

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"spmvtune/internal/base/files"
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

	root := commonFolder(texts)
	relative := func(path string) string { return filepath.ToSlash(strings.TrimPrefix(path[len(root):], "/")) }
	list = map[string]string{}
	for path, text := range texts {
		list[relative(path)] = text
	}
	return list, relative(source), nil
}

// commonFolder is the deepest folder that has all files.
func commonFolder(list map[string]string) string {
	root, first := "", true
	for path := range list {
		dir := filepath.Dir(path)
		if first {
			root, first = dir, false
		}
		for root != dir && !strings.HasPrefix(dir, strings.TrimSuffix(root, "/")+"/") {
			root = filepath.Dir(root)
		}
	}
	return root
}
