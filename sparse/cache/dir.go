package cache

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Env is the environment variable that says where the cache is: a folder, or "off".
const Env = "SPMVTUNE_CACHE"

// A Dir is a cache of matrices in a folder, which is made when it is first filled.
// The nil *Dir is a cache that is off: it holds nothing and keeps nothing.
type Dir struct{ path string }

// At returns the cache in the folder at path.
func At(path string) *Dir { return &Dir{path} }

// Default returns the user's cache: the folder that [Env] names or, if it is not set,
// spmvtune/matrices in the user's cache directory ($XDG_CACHE_HOME, or ~/.cache). It is nil if
// Env is "off", and nil with an error if there is no such directory.
func Default() (*Dir, error) {
	set := os.Getenv(Env)
	if set == "off" {
		return nil, nil
	}
	if set != "" {
		path, err := filepath.Abs(set)
		if err != nil {
			return nil, fmt.Errorf("finding the cache of %s=%s: %w", Env, set, err)
		}
		return At(path), nil
	}

	base, err := os.UserCacheDir()
	if err != nil {
		return nil, fmt.Errorf("finding the cache: %w; set %s to a folder, or to off", err, Env)
	}
	return At(filepath.Join(base, "spmvtune", "matrices")), nil
}

// Path is the folder of d, or "" if it is off.
func (d *Dir) Path() string {
	if d == nil {
		return ""
	}
	return d.path
}

// Has reports whether there is an entry of that name, without using it.
func (d *Dir) Has(key Key) bool {
	if d == nil {
		return false
	}
	_, err := os.Stat(d.entry(key))
	return err == nil
}

const (
	extension = ".csr"  // of entries: KEY.csr
	notes     = "files" // folder of what is known of files' content
	temporary = ".tmp-" // within the names of files that are being written
)

func (d *Dir) entry(key Key) string { return filepath.Join(d.path, string(key)+extension) }

// errOff is the error of a cache that is off.
var errOff = errors.New("the cache is off")
