// SPDX-License-Identifier: Apache-2.0

// Package cache keeps matrices that took time to read or to make as files that
// open at once: the arrays of a CSR as they lie in memory, behind a header with
// what is known of the matrix.
//
// A cache is a folder ([Dir]). An entry is named by a [Key], which covers all that
// its content depends on: the bytes of a file and how they were read, or a
// generator with its arguments, and the versions of the code that did it. Entries
// are therefore never out of date, only unused; there is nothing to invalidate.
// A key is made of a file's content, not of its name; [Dir.Identify] spares a file
// that has not changed from being hashed again, and says what that rests on.
//
// An entry appears whole, under a temporary name until it is on the disk, so any
// number of processes may read and fill a cache at the same time. Two that fill the
// same entry write the same bytes, and the last one's stay.
//
// Entries are verified in two steps. [Dir.Open] checks the header against its digest and the
// file's length against the header, and reads none of the arrays: [Entry.Meta], with the
// content hash of the matrix and its features, is then right, and a truncated file has been
// noticed. [Entry.Copy] reads the arrays and checks them, piece by piece against the
// checksums in the header, on all cores; [Entry.Pattern] reads those of them that say where entries are.
// The content hash, which takes several times as long, is compared by [Dir.Verify] alone: it
// identifies a matrix; someone who alters a file with intent can alter it as well.
//
// Note: arrays are read, not mapped. A file that another process cuts off, or a network that fails, ends a
// process that mapped it.
//
// This package refuses to be needed: the nil *Dir is a cache that is off, an entry
// that cannot be used is an error that means "make the matrix again", and failing to
// fill one costs nothing but the time of the next run. It never takes the last space
// of a disk. It stores values of float64 in this machine's byte order, and refuses
// entries of another.
package cache

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/sparse"
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

// version is part of every key. It changes whenever the layout of entries does, or
// the meaning of a feature that keeps its name; a feature that is added, renamed or
// removed changes the keys by itself.
const version = "3" // 2: with patterns; 3: with checksums of the arrays

// A Key names an entry: 64 hex digits.
type Key string

// NewKey returns the key of a matrix that depends only on parts. Together they say where it
// comes from: its maker, the maker's version, and its input.
func NewKey(parts ...string) Key {
	h := sha256.New()
	features, _ := json.Marshal(sparse.Features{}) // numbers only: it can't fail
	for _, p := range append([]string{"spmvtune matrix", version, string(features)}, parts...) {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return Key(hex.EncodeToString(h.Sum(nil)))
}

// Fill stores a as the entry of m.Key and replaces an existing one. m.Hash and m.Features must
// be those of a. The entry appears when all of it is on the disk; an error leaves the cache as
// it was. Fill refuses to take more than half of the space that is free: results are written to
// the same disk, more often than not.
func (d *Dir) Fill(ctx context.Context, m Meta, a *sparse.CSR[float64]) error {
	if d == nil {
		return errOff
	}
	if a.Rows != m.Features.Rows || a.Cols != m.Features.Cols || a.NNZ() != m.Features.Nonzeros {
		return fmt.Errorf("keeping %s: the features of another matrix", m.Source)
	}

	sums, err := sumsOf(ctx, a)
	if err != nil {
		return err
	}
	head, l, err := encodeHeader(header{m, sums})
	if err != nil {
		return fmt.Errorf("keeping %s: %w", m.Source, err)
	}
	if err := os.MkdirAll(d.path, 0o777); err != nil {
		return fmt.Errorf("making the cache: %w", err)
	}
	if err := d.room(l.size); err != nil {
		return err
	}

	return replace(d.entry(m.Key), func(f *os.File) error {
		for _, p := range append([]piece{{head, 0}}, piecesOf(a, l)...) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if _, err := f.WriteAt(p.memory, p.at); err != nil {
				return err
			}
		}
		return f.Truncate(l.size)
	})
}

// room returns an error if an entry of this many bytes would take too much of the free space on
// the disk.
func (d *Dir) room(size int64) error {
	if size > files.Free(d.path)/2 {
		return fmt.Errorf("filling the cache %s: a matrix would take more than half of the space that is free", d.path)
	}
	return nil
}

// replace gives the file at path the content that write writes, or leaves it unchanged. Its
// error names the folder, not the file, whose name is random: the same trouble has the same words.
func replace(path string, write func(*os.File) error) error {
	err := files.WriteAt(path, write)
	if file, ok := errors.AsType[*os.PathError](err); ok {
		err = file.Err
	}
	if err != nil {
		return fmt.Errorf("filling the cache %s: %w", filepath.Dir(path), err)
	}
	return nil
}
