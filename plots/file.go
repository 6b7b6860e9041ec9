package plots

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"sync"

	"spmvtune/internal/base/files"
)

// folder writes files under a folder and remembers them. Several goroutines may use it.
type folder struct {
	dir    string
	before record // The report that was in the folder.
	mu     sync.Mutex
	made   map[string]entry
}

func folderIn(dir string) *folder {
	return &folder{dir: dir, before: readRecord(dir), made: map[string]entry{}}
}

// Write writes a file, whole or not at all. The name is relative to the folder and slash
// separated.
func (f *folder) Write(name string, content []byte) error { return f.write(name, content, "") }

func (f *folder) write(name string, content []byte, drawn string) error {
	if err := files.Write(filepath.Join(f.dir, filepath.FromSlash(name)), content); err != nil {
		return err
	}
	f.keep(name, entryOf(content, drawn))
	return nil
}

func (f *folder) keep(name string, e entry) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.made[name] = e
}

// has reports whether the folder has the file with the picture of this digest as this program
// draws it. It then belongs to the report.
func (f *folder) has(name, drawn string) bool {
	if f.before.Program != program() || f.before.Files[name].Drawn != drawn || !f.before.holds(f.dir, name) {
		return false
	}
	f.keep(name, f.before.Files[name])
	return true
}

// sorted returns the names of all files written.
func (f *folder) sorted() []string {
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
