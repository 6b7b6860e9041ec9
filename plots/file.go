package plots

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"spmvtune/internal/atomicfile"
)

// files writes files under a folder and remembers them. It may be used by
// several goroutines.
type files struct {
	dir   string
	mu    sync.Mutex
	names []string
}

// write makes the file name, slash separated and relative to the folder, appear
// with this content at once: readers see the old file or the new one.
func (f *files) write(name string, content []byte) error {
	if err := atomicfile.Write(filepath.Join(f.dir, filepath.FromSlash(name)), content); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.names = append(f.names, name)
	return nil
}

// sorted returns the names of all files written.
func (f *files) sorted() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(slices.Values(f.names))
}

// slug turns words into a part of a file name: lower-case letters, digits,
// dots and single hyphens.
func slug(words ...string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.Join(words, " ")) {
		inWord := b.Len() > 0 && !strings.HasSuffix(b.String(), "-")
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.' && inWord && !strings.HasSuffix(b.String(), "."):
			b.WriteRune(r)
		case inWord:
			b.WriteByte('-')
		}
	}
	s := strings.TrimRight(b.String(), "-.")
	const longest = 120 // file systems allow 255 bytes, with suffixes and a temporary name
	return s[:min(len(s), longest)]
}

// uniqueNames returns a function that appends a number to a name it has seen
// before: different matrices may have the same slug.
func uniqueNames() func(string) string {
	seen := map[string]bool{}
	return func(name string) string {
		unique := name
		for n := 2; seen[unique]; n++ {
			unique = name + "-" + strconv.Itoa(n)
		}
		seen[unique] = true
		return unique
	}
}
