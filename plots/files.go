// SPDX-License-Identifier: Apache-2.0

package plots

import (
	"encoding/json"
	"hash/crc32"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"example.org/spmvtune/internal/base/files"
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
func (f *folder) Write(name string, content []byte) error {
	if err := files.Write(filepath.Join(f.dir, filepath.FromSlash(name)), content); err != nil {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.made[name] = entry{int64(len(content)), crc32.ChecksumIEEE(content)}
	return nil
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

// RecordFile is the record's name in a report's folder.
const RecordFile = ".report.json"

// A record lists the files of a report, by their slash-separated paths in the folder. The next report removes those
// that it no longer makes and that have not changed since.
type record struct{ Files map[string]entry }

// An entry is a file of a report.
type entry struct {
	Size int64
	Sum  uint32 // CRC-32
}

// readRecord reads the record of a folder. One that cannot be read is empty.
func readRecord(dir string) record {
	var r record
	content, err := files.ReadFile(filepath.Join(dir, RecordFile), 100e6)
	if err != nil || json.Unmarshal(content, &r) != nil {
		return record{}
	}
	for name := range r.Files {
		if folder, file := path.Split(name); !filepath.IsLocal(file) || folder != "figures/" && folder != "tables/" {
			delete(r.Files, name)
		}
	}
	return r
}

// holds reports whether a file of the record is in the folder and unchanged.
func (r record) holds(dir, name string) bool {
	e, known := r.Files[name]
	if !known {
		return false
	}
	full := filepath.Join(dir, filepath.FromSlash(name))
	if info, err := os.Lstat(full); err != nil || !info.Mode().IsRegular() || info.Size() != e.Size {
		return false
	}
	content, err := os.ReadFile(full)
	return err == nil && crc32.ChecksumIEEE(content) == e.Sum
}

// finish removes the files of an earlier report that this one did not make, and records those
// that it did. Of a report on some figures the other figures stay, and the tables if it is of nothing else.
func (f *folder) finish(opt Options) error {
	for name, e := range f.before.Files {
		if _, made := f.made[name]; made {
			continue
		}
		if opt.alone || len(opt.Figures) > 0 && strings.HasPrefix(name, "figures/") {
			f.made[name] = e
			continue
		}
		if f.before.holds(f.dir, name) {
			if err := os.Remove(filepath.Join(f.dir, filepath.FromSlash(name))); err != nil {
				return err
			}
		}
	}

	content, err := json.MarshalIndent(record{f.made}, "", " ")
	if err != nil {
		return err
	}
	return files.Write(filepath.Join(f.dir, RecordFile), append(content, '\n'))
}
