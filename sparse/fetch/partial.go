// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"cmp"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/sparse/cache"
)

// A partial is a file that is being downloaded: the first bytes of what its state
// says, in the file PATH.part, the state in PATH.part.json. The state is written when
// the first byte is about to come, so that the bytes are never taken for others.
type partial struct {
	path string // of the file that it becomes
	file *os.File
	have int64
	state
}

// A state says which bytes a partial file begins with.
type state struct {
	URL      string `json:"url"`
	ETag     string `json:"etag,omitempty"`          // strong
	Modified string `json:"last_modified,omitempty"` // as the server writes it
	MD5      []byte `json:"md5,omitempty"`           // of the whole, where the server gave it
	Size     int64  `json:"size"`                    // of the whole, -1 if it is not known
}

// validator identifies this content of the URL; it is "" if the server sends none.
func (s state) validator() string {
	if s.ETag != "" {
		return s.ETag
	}
	return s.Modified
}

// openPartial opens what an earlier try has left, or makes an empty file.
func openPartial(path string) (*partial, error) {
	p := &partial{path: path, state: state{Size: -1}}
	var err error
	if p.file, err = os.OpenFile(p.name(), os.O_CREATE|os.O_RDWR, 0o666); err != nil {
		return nil, err
	}

	info, err := p.file.Stat()
	if err != nil {
		p.file.Close()
		return nil, err
	}

	text, err := files.ReadFile(p.stateName(), 100_000)
	if err == nil && json.Unmarshal(text, &p.state) == nil && p.URL != "" && (p.Size < 0 || info.Size() <= p.Size) {
		p.have = info.Size()
	} else {
		p.state = state{Size: -1}
	}
	return p, nil
}

func (p *partial) name() string      { return p.path + ".part" }
func (p *partial) stateName() string { return p.name() + ".json" }

// begin forgets the bytes that are here, and begins with those of s.
func (p *partial) begin(s state) error {
	p.have = 0
	if err := errors.Join(files.Remove(p.stateName()), p.file.Truncate(0)); err != nil {
		return err
	}
	p.state = s
	text, _ := json.Marshal(s) // texts and numbers
	return os.WriteFile(p.stateName(), text, 0o666)
}

// forget makes p empty because of t.
func (p *partial) forget(t *trouble) error {
	if err := p.begin(state{Size: -1}); err != nil {
		return err
	}
	return t
}

// finish gives the file its name when it is on the disk.
func (p *partial) finish() error {
	err := errors.Join(p.file.Sync(), p.file.Close())
	if err == nil {
		err = os.Rename(p.name(), p.path)
	}
	if err != nil {
		return err
	}
	os.Remove(p.stateName())
	return nil
}

// leave closes p. The next try goes on with the bytes received so far, if they are worth
// keeping.
func (p *partial) leave(keep bool) {
	p.file.Close()
	if !keep || p.have == 0 {
		os.Remove(p.name())
		os.Remove(p.stateName())
	}
}

// A Download is the file of a matrix, complete or partial.
type Download struct {
	ID    ID
	Bytes int64
	Used  time.Time // when it came or was last asked for
	files []string
	whole bool // the archive itself is among the files
}

const extension = ".tar.gz"

// Downloads lists the downloads, the most recently used first.
func (c *Collection) Downloads() []Download {
	found := map[ID]*Download{}
	names, _ := fs.Glob(os.DirFS(c.Dir), "*/*"+extension+"*")
	for _, name := range names {
		path := filepath.Join(c.Dir, name)
		name, rest, _ := strings.Cut(name, extension)
		id, err := ParseID(name)
		info, err2 := os.Lstat(path)
		if rest != "" && rest[0] != '.' || err != nil || err2 != nil || !info.Mode().IsRegular() {
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

		d.whole = d.whole || rest == ""
		d.Bytes += info.Size()
		d.files = append(d.files, path)
		if info.ModTime().After(d.Used) {
			d.Used = info.ModTime()
		}
	}

	all := lists.Of(slices.Collect(maps.Values(found)), func(d *Download) Download { return *d })
	slices.SortFunc(all, func(a, b Download) int {
		return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.ID.String(), b.ID.String()))
	})
	return all
}

// Downloaded lists the matrices whose files are there, the most recently used first.
func (c *Collection) Downloaded() (list []ID) {
	whole := lists.Where(c.Downloads(), func(d Download) bool { return d.whole })
	return lists.Of(whole, func(d Download) ID { return d.ID })
}

// Prune removes downloads beyond the limits, except those in progress, and returns what it
// removed.
func (c *Collection) Prune(limits cache.Limits) ([]Download, error) {
	return cache.Prune(limits, c.Downloads(), func(d Download) (time.Time, int64) { return d.Used, d.Bytes },
		func(d Download) (bool, error) {
			unlock, taken, err := files.LockNow(c.lockFile(d.ID))
			switch {
			case err == nil:
				defer unlock()
			case taken:
				return false, nil
			case !errors.Is(err, files.ErrNoLocks):
				return false, err
			}
			err = nil
			for _, path := range d.files {
				err = errors.Join(err, files.Remove(path))
			}
			return true, err
		})
}

// lockFile is the file that the process locks that downloads a matrix. Its time is that
// when the matrix was last asked for: the archive's own says to the cache that it is the
// same as before.
func (c *Collection) lockFile(id ID) string {
	return filepath.Join(c.Dir, id.Group, "."+id.Name+".lock")
}
