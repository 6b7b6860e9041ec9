package cache

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"
)

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

// Prune removes entries beyond the limits unless a process has them open, all damaged ones, the remains of processes that
// died, and the digests of files that were not used for as long. It returns the entries that it
// removed.
func (d *Dir) Prune(limits Limits) ([]Info, error) {
	all, err := d.List()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	var removed []Info
	var errs []error

	var kept int64
	for _, e := range all {
		if e.Err == nil && now.Sub(e.Used) <= limits.Unused && e.Size <= limits.Size-kept {
			kept += e.Size
			continue
		}
		gone, err := d.removeUnused(e)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if gone {
			removed = append(removed, e)
		}
	}

	for _, folder := range []string{"", notes} {
		errs = append(errs, d.files(folder, func(name string, info fs.FileInfo) {
			age := now.Sub(info.ModTime())
			if strings.Contains(name, temporary) && age > abandoned || folder == notes && age > limits.Unused {
				errs = append(errs, os.Remove(filepath.Join(d.path, folder, name)))
			}
		}))
	}

	return removed, errors.Join(errs...)
}
