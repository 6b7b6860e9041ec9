package fetch

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"spmvtune/sparse/cache"
)

// A Download is the file of a matrix, complete or partial.
type Download struct {
	ID    ID
	Bytes int64
	Used  time.Time // when it came or was last asked for
	files []string
}

const extension = ".tar.gz"

// Downloads lists the downloads, the most recently used first.
func (c *Collection) Downloads() []Download {
	found := map[ID]*Download{}
	groups, _ := os.ReadDir(c.Dir)
	for _, group := range groups {
		files, _ := os.ReadDir(filepath.Join(c.Dir, group.Name()))
		for _, f := range files {
			name, rest, ok := strings.Cut(f.Name(), extension)
			id, err := ParseID(group.Name() + "/" + name)
			info, err2 := f.Info()
			if !ok || rest != "" && rest[0] != '.' || err != nil || err2 != nil || !info.Mode().IsRegular() {
				continue
			}

			d := found[id]
			if d == nil {
				d = &Download{ID: id}
				if lock, err := os.Stat(c.lockFile(id)); err == nil {
					d.Used = lock.ModTime()
				}
				found[id] = d
			}

			d.Bytes += info.Size()
			d.files = append(d.files, filepath.Join(c.Dir, group.Name(), f.Name()))
			if info.ModTime().After(d.Used) {
				d.Used = info.ModTime()
			}
		}
	}

	var all []Download
	for _, d := range found {
		all = append(all, *d)
	}
	slices.SortFunc(all, func(a, b Download) int {
		return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.ID.String(), b.ID.String()))
	})

	return all
}

// Prune removes downloads beyond the limits, except those in progress, and returns what it
// removed.
func (c *Collection) Prune(limits cache.Limits) ([]Download, error) {
	now := time.Now()
	over, cancel := context.WithCancel(context.Background())
	cancel() // wait for no lock
	var removed []Download
	var errs []error
	var kept int64

	for _, d := range c.Downloads() {
		if now.Sub(d.Used) <= limits.Unused && d.Bytes <= limits.Size-kept {
			kept += d.Bytes
			continue
		}
		unlock, _, err := lock(over, c.lockFile(d.ID), func() {})
		if errors.Is(err, context.Canceled) {
			continue
		}
		if err == nil {
			for _, path := range d.files {
				if e := os.Remove(path); !errors.Is(e, fs.ErrNotExist) {
					err = errors.Join(err, e)
				}
			}
			unlock()
		}
		if err != nil {
			errs = append(errs, err)
			continue
		}
		removed = append(removed, d)
	}

	return removed, errors.Join(errs...)
}

// lockFile is the file that the process locks that downloads a matrix. Its time is that
// when the matrix was last asked for: the archive's own says to the cache that it is the
// same as before.
func (c *Collection) lockFile(id ID) string {
	return filepath.Join(c.Dir, id.Group, "."+id.Name+".lock")
}
