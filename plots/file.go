package plots

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"spmvtune/internal/atomicfile"
)

// files writes files under a folder and remembers them. Several goroutines may use it.
type files struct {
	dir    string
	before record // The report that was in the folder.
	mu     sync.Mutex
	made   map[string]entry
}

func filesIn(dir string) *files {
	return &files{dir: dir, before: readRecord(dir), made: map[string]entry{}}
}

// Write writes a file, whole or not at all. The name is relative to the folder and slash
// separated.
func (f *files) Write(name string, content []byte) error { return f.write(name, content, "") }

func (f *files) write(name string, content []byte, drawn string) error {
	if err := atomicfile.Write(filepath.Join(f.dir, filepath.FromSlash(name)), content); err != nil {
		return err
	}
	f.keep(name, entryOf(content, drawn))
	return nil
}

func (f *files) keep(name string, e entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.made[name] = e
}

// has reports whether the folder has the file with the picture of this digest as this program
// draws it. It then belongs to the report.
func (f *files) has(name, drawn string) bool {
	if f.before.Program != program() || f.before.Files[name].Drawn != drawn || !f.before.holds(f.dir, name) {
		return false
	}
	f.keep(name, f.before.Files[name])
	return true
}

// sorted returns the names of all files written.
func (f *files) sorted() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Sorted(maps.Keys(f.made))
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
