package plots

import (
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"spmvtune/internal/atomicfile"
)

// files writes files under a folder and remembers their names. Several goroutines may use it.
type files struct {
	dir   string
	mu    sync.Mutex
	names []string
}

// Write writes a file, whole or not at all. The name is relative to the folder and slash
// separated.
func (f *files) Write(name string, content []byte) error {
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

// uniqueNames returns a function that appends a number to a name that it has seen before.
// Different matrices may have the same slug.
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
