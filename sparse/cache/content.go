// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/panics"
	"example.org/spmvtune/sparse"
)

// A File is a file whose content is known.
type File struct {
	// Digest identifies the file's bytes, in 64 hex digits: it is the SHA-256 of the SHA-256 of
	// its pieces of 4 MiB.
	Digest string

	path    string
	stamp   stamp
	settled bool // when the stamp was taken
}

// A stamp is the file system's data on a file that change when its content does. The time of
// the last change of status is among it, because programs set that of the last modification at
// will (cp -p, tar, touch -r), and no program sets this one.
type stamp struct {
	dev, inode, size     int64
	modified, statusTime int64 // ns
}

// Times of file systems advance in steps of milliseconds (2 s on the coarsest), and
// servers' clocks are off. A file that was changed less than settling ago may be
// changed again within the same step, and its stamp would not show it.
const settling = 10 * time.Second

// settled reports whether any later change of the file shows in its stamp.
func (s stamp) settled(now time.Time) bool {
	return now.UnixNano()-max(s.modified, s.statusTime) > int64(settling)
}

func stampOf(f *os.File) (stamp, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return stamp{}, err
	}
	return stamp{int64(st.Dev), int64(st.Ino), int64(st.Size), st.Mtim.Nano(), st.Ctim.Nano()}, nil
}

// Identify finds out the content of the file at path. It reads the file, unless it
// did so before and the file's stamp is the same: device, inode, size, and the times
// of its last modification and change of status, to the nanosecond. A stamp is
// remembered only once it is older than 10 s, so that every later change shows in it.
func (d *Dir) Identify(ctx context.Context, path string) (*File, error) {
	if d == nil {
		return nil, errOff
	}
	file, f, err := d.known(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if file.Digest != "" {
		return file, nil
	}
	if file.Digest, err = digest(ctx, f, file.stamp.size); err != nil {
		return nil, err
	}

	if file.settled && file.Unchanged(ctx) {
		d.remember(file.stamp, file.Digest)
	}
	return file, nil
}

// known opens the file at path, and knows its digest if its stamp is remembered.
func (d *Dir) known(path string) (*File, *os.File, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, nil, err
	}
	file := &File{path: path}
	if file.stamp, err = stampOf(f); err != nil {
		f.Close()
		return nil, nil, err
	}
	if file.settled = file.stamp.settled(time.Now()); file.settled {
		file.Digest = d.recall(file.stamp)
	}
	return file, f, nil
}

// Remembers reports whether Identify knows the content of the file at path without reading it.
func (d *Dir) Remembers(path string) bool {
	if d == nil {
		return false
	}
	file, f, err := d.known(path)
	if err != nil {
		return false
	}
	f.Close()
	return file.Digest != ""
}

// Unchanged reports whether the file at the path is still the one that was identified. If so,
// everything read from it in the meantime is the content of Digest.
func (f *File) Unchanged(ctx context.Context) bool {
	r, err := files.Open(f.path)
	if err != nil {
		return false
	}
	defer r.Close()
	if s, err := stampOf(r); err != nil || s != f.stamp {
		return false
	}

	if f.settled {
		return true
	}
	again, err := digest(ctx, r, f.stamp.size)
	return err == nil && again == f.Digest
}

// digest returns that of a file of this many bytes.
func digest(ctx context.Context, f *os.File, size int64) (string, error) {
	n := int((size + pieceSize - 1) / pieceSize)
	sums := make([]byte, n*sha256.Size)
	err := panics.Each(ctx, n, func(i int) error {
		lo, h := int64(i)*pieceSize, sha256.New()
		if _, err := io.CopyN(h, io.NewSectionReader(f, lo, pieceSize), min(pieceSize, size-lo)); err != nil {
			return err
		}
		h.Sum(sums[i*sha256.Size:][:0])
		return nil
	})
	if err != nil {
		return "", err
	}

	// Some files, those of /proc for one, hold more than they say.
	if n, err := f.ReadAt(make([]byte, 1), size); n > 0 || err != io.EOF {
		return "", errors.New("the file is longer than it says")
	}
	outer := sha256.Sum256(fmt.Appendf(sums, "%d", size))
	return hex.EncodeToString(outer[:]), nil
}

// The digest for a stamp is in a small file, which is named for the stamp and holds the digest
// after a checksum of both.

func (d *Dir) note(s stamp) string {
	name := sha256.Sum256(fmt.Appendf(nil, "%+v", s))
	return filepath.Join(d.path, notes, hex.EncodeToString(name[:]))
}

func noteText(name, digest string) []byte {
	check := sha256.Sum256([]byte(filepath.Base(name) + digest))
	return fmt.Appendf(nil, "%x %s\n", check, digest)
}

// recall returns the digest of the file with that stamp, "" if it is not known.
func (d *Dir) recall(s stamp) string {
	name := d.note(s)
	text, err := files.ReadFile(name, 1000)
	if _, digest, ok := bytes.Cut(bytes.TrimSpace(text), []byte(" ")); err == nil && ok &&
		bytes.Equal(text, noteText(name, string(digest))) {
		now := time.Now()
		os.Chtimes(name, now, now)
		return string(digest)
	}
	return ""
}

// remember makes recall find a digest. Where it can't, the file is hashed again.
func (d *Dir) remember(s stamp, digest string) {
	name := d.note(s)
	if os.MkdirAll(filepath.Dir(name), 0o777) == nil {
		_ = files.Write(name, noteText(name, digest))
	}
}

// castagnoli is the polynomial of CRC-32C, for which processors have an instruction: computing
// it is faster than reading memory, while SHA-256 takes several times as long.
var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func sum(piece []byte) uint32 { return crc32.Checksum(piece, castagnoli) }

// A piece is a part of an array: its memory, and its position in the file.
type piece struct {
	memory []byte
	at     int64
}

// piecesOf are those of row offsets, columns and values of a, in this order: 4 MiB each, but
// for the last of an array.
func piecesOf(a *sparse.CSR[float64], l layout) (all []piece) {
	for _, p := range []piece{{raw(a.RowPtr), l.rowPtr}, {raw(a.ColIdx), l.colIdx}, {raw(a.Val), l.val}} {
		for part := range slices.Chunk(p.memory, pieceSize) {
			all = append(all, piece{part, p.at})
			p.at += int64(len(part))
		}
	}
	return all
}

// sumsOf computes the sums of a's pieces, on all cores.
func sumsOf(ctx context.Context, a *sparse.CSR[float64]) ([]uint32, error) {
	pieces := piecesOf(a, layout{})
	sums := make([]uint32, len(pieces))
	return sums, panics.Each(ctx, len(pieces), func(i int) error {
		sums[i] = sum(pieces[i].memory)
		return nil
	})
}

// pieceSize is how much of a file is read or hashed at a time. It is part of the
// digest of files.
const pieceSize = 1 << 22
