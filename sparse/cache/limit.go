package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"spmvtune/internal/base/files"
	"spmvtune/internal/base/term"
	"spmvtune/sparse"
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
