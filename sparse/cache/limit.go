// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/sparse"
)

// EnvLimit is the environment variable that says how large the entries of the user's cache may be together: a size such
// as 50GB, or "none".
const EnvLimit = "SPMVTUNE_CACHE_LIMIT"

// DefaultLimit is the limit in bytes where EnvLimit is not set.
const DefaultLimit = 10_000_000_000

// Limit returns the limit of the user's cache in bytes.
func Limit() (int64, error) {
	switch set := os.Getenv(EnvLimit); set {
	case "":
		return DefaultLimit, nil
	case "none":
		return math.MaxInt64, nil
	default:
		limit, err := term.ParseBytes(set)
		if err != nil {
			return 0, fmt.Errorf("%s: %w, or none", EnvLimit, err)
		}
		return limit, nil
	}
}

// Fits returns an error if the entry of a matrix would be larger than a limit.
func Fits(a *sparse.CSR[float64], limit int64) error {
	if size := int64(len(raw(a.RowPtr)) + len(raw(a.ColIdx)) + len(raw(a.Val))); size > limit {
		return fmt.Errorf("%s are more than the cache's limit of %s (%s)", term.Bytes(size), term.Bytes(limit), EnvLimit)
	}
	return nil
}

// Evict removes the entries that were used the longest ago until the others fit a limit, and returns those that it
// removed. An entry that a process has open stays, and so does the one that was used last.
func (d *Dir) Evict(limit int64) ([]Info, error) {
	var sum int64
	err := d.files("", func(name string, info fs.FileInfo) {
		if strings.HasSuffix(name, extension) {
			sum += info.Size()
		}
	})
	if err != nil || sum <= limit {
		return nil, err
	}
	all, err := d.List()
	if err != nil {
		return nil, err
	}

	var removed []Info
	for i := len(all) - 1; i > 0 && sum > limit; i-- {
		gone, err := d.removeUnused(all[i])
		if err != nil {
			return removed, err
		}
		if gone {
			sum -= all[i].Size
			removed = append(removed, all[i])
		}
	}
	return removed, nil
}

// removeUnused removes an entry that no process has open, and reports whether it did.
func (d *Dir) removeUnused(e Info) (bool, error) {
	f, err := files.Open(d.entry(e.Key))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, err
	}
	defer f.Close()
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return false, nil
	}
	return true, d.Remove(e)
}

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
		entry, err := open(d.entry(e.Key))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return // another process prunes
		case err != nil:
			e.Err = err
		default:
			e.Meta = entry.Meta
			entry.Close()
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
	opened.hold()
	defer opened.Close()
	a, err := opened.Copy(ctx)
	if err == nil && a.Hash() != opened.Hash {
		err = damaged(d.entry(e.Key), errors.New("the arrays do not give the hash of the matrix"))
	}
	return err
}

// Remove removes an entry. Processes that have it open are not affected; on a network file
// system, only on the same machine.
func (d *Dir) Remove(e Info) error {
	return files.Remove(d.entry(e.Key))
}

// Limits say what Prune leaves. Start from NoLimits.
type Limits struct {
	Unused time.Duration // entries that were not used for longer than that go
	Size   int64         // bytes of all that stay: as many as fit, those used last first
}

// NoLimits leave everything.
var NoLimits = Limits{Unused: math.MaxInt64, Size: math.MaxInt64}

// abandoned is the age at which a file that is being written belongs to a process
// that has died: it is written to all the time.
const abandoned = time.Hour

// Prune calls remove for what is beyond the limits of a list that is sorted by its last use, and returns
// what remove says that it removed. A size below 0 is never within the limits.
func Prune[T any](l Limits, all []T, of func(T) (used time.Time, size int64), remove func(T) (bool, error)) (
	removed []T, err error) {

	var kept int64
	for _, e := range all {
		used, size := of(e)
		if size >= 0 && time.Since(used) <= l.Unused && size <= l.Size-kept {
			kept += size
			continue
		}
		gone, failed := remove(e)
		if failed != nil {
			err = errors.Join(err, failed)
		} else if gone {
			removed = append(removed, e)
		}
	}
	return removed, err
}

// Prune removes entries beyond the limits unless a process has them open, all damaged ones, the remains of processes that
// died, and the digests of files that were not used for as long. It returns the entries that it
// removed.
func (d *Dir) Prune(limits Limits) ([]Info, error) {
	all, err := d.List()
	if err != nil {
		return nil, err
	}
	removed, err := Prune(limits, all, func(e Info) (time.Time, int64) {
		if e.Err != nil {
			return e.Used, -1
		}
		return e.Used, e.Size
	}, d.removeUnused)

	errs := []error{err}
	for _, folder := range []string{"", notes} {
		errs = append(errs, d.files(folder, func(name string, info fs.FileInfo) {
			age := time.Since(info.ModTime())
			if strings.Contains(name, temporary) && age > abandoned || folder == notes && age > limits.Unused {
				errs = append(errs, os.Remove(filepath.Join(d.path, folder, name)))
			}
		}))
	}

	return removed, errors.Join(errs...)
}
