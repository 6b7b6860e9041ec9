package cache

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

	"spmvtune/internal/base/files"
	"spmvtune/internal/base/panics"
)

// An Info describes an entry without its arrays.
type Info struct {
	Meta           // zero where Err is set, but for the Key
	Size int64     // of its file, bytes
	Used time.Time // when it was last opened or stored
	Err  error     // why it can't be used; nil if its header is right
}

// List returns all entries, those used last first.
func (d *Dir) List() ([]Info, error) {
	var all []Info
	err := d.files("", func(name string, info fs.FileInfo) {
		key, ok := strings.CutSuffix(name, extension)
		if !ok {
			return
		}
		e := Info{Meta: Meta{Key: Key(key)}, Size: info.Size(), Used: info.ModTime()}
		path := filepath.Join(d.path, name)
		f, err := files.Open(path)

		if errors.Is(err, fs.ErrNotExist) {
			return // another process prunes
		}
		var m header
		if err == nil {
			m, _, err = decodeHeader(f, info.Size())
			f.Close()
		}

		switch {
		case err != nil:
			e.Err = damaged(path, err)
		case m.Key != e.Key:
			e.Err = damaged(path, errors.New("it belongs to another key"))
		default:
			e.Meta = m.Meta
		}
		all = append(all, e)
	})

	slices.SortFunc(all, func(a, b Info) int {
		return cmp.Or(b.Used.Compare(a.Used), cmp.Compare(a.Key, b.Key))
	})
	return all, err
}

// files calls f for every file in a folder of the cache.
func (d *Dir) files(folder string, f func(name string, info fs.FileInfo)) error {
	if d == nil {
		return nil
	}
	list, err := os.ReadDir(filepath.Join(d.path, folder))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}

	for _, file := range list {
		if info, err := file.Info(); err == nil && info.Mode().IsRegular() {
			f(file.Name(), info)
		}
	}
	return err
}

// Verify reads an entry that List gave, all of it, and compares it with its checksums and with
// the hash of the matrix. An error satisfies errors.Is with [ErrDamaged] if the entry differs
// from what was stored.
func (d *Dir) Verify(ctx context.Context, e Info) error {
	if e.Err != nil {
		return e.Err
	}
	opened, err := open(d.entry(e.Key))
	if err != nil {
		return err
	}
	defer opened.Close()
	if err := opened.Verify(ctx); err != nil {
		return err
	}

	err = panics.ReadMapped(func() error {
		if opened.A.Hash() != opened.Hash {
			return errors.New("the arrays do not give the hash of the matrix")
		}
		return nil
	})
	if err != nil {
		return damaged(d.entry(e.Key), err)
	}
	return nil
}

// Remove removes an entry. Processes that have it open are not affected; on a network file
// system, only on the same machine.
func (d *Dir) Remove(e Info) error {
	err := os.Remove(d.entry(e.Key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
