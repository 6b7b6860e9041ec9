// SPDX-License-Identifier: Apache-2.0

// Package fetch downloads matrices of the SuiteSparse collection (Davis and Hu, "The
// University of Florida Sparse Matrix Collection", ACM TOMS 38, 2011), each once.
//
// A [Collection] is servers and a folder. [Collection.Get] returns the file of a
// matrix, GROUP/NAME.tar.gz in that folder, and downloads it before if it is not
// there. The archive is kept as it came: it is about a third of the matrix in it, and
// package file reads it as it streams.
//
// However many processes ask, one downloads: it holds a lock on a file, which ends
// with the process however that ends, and the others wait and find the file there. It
// writes to a partial file, which a later try goes on with, in this process or in
// another one, and which gets its name when it is checked and on the disk. A file of
// that name is therefore whole.
//
// What is checked is the length that the server gave; its MD5, if the server sends one
// (Content-MD5) or has a file NAME.tar.gz.md5 beside it; and always the archive
// itself: gzip's own checksum, and that the matrix of that name is in it. The
// collection's own server is not known to publish digests.
//
// A connection is given up when nothing came for a while, never because the whole took
// long. What may pass is tried again, after a pause that doubles; a try that brought
// something does not count. Redirects stay on HTTPS: the collection's server is known
// to point to plain http for its files, and is then asked over HTTPS there.
//
// Nothing here asks a server unless Get is called.
package fetch

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/base/files"
)

// A File is the file of a matrix.
type File struct {
	ID    ID
	Path  string // GROUP/NAME.tar.gz in the collection's folder
	Bytes int64
	URL   string // where it was downloaded from just now; "" if it was there
}

// Get returns the file of a matrix, and downloads it before if it is not there; the work of
// another process that does so at the same time is waited for. An error satisfies errors.Is
// with [ErrNotFound] if there is no such matrix, and with [ErrUnavailable] if no server
// delivers it now; others are of ctx, or of the disk. What came is kept, and the next Get goes
// on with it.
func (c *Collection) Get(ctx context.Context, id ID) (File, error) {
	path, there := c.Path(id)
	switch {
	case there:
		return c.found(id, path, "")
	case c.Dir == "":
		return File{}, fmt.Errorf("downloading %s: %w: the cache is off (SPMVTUNE_CACHE), and there is no other "+
			"place to keep it: set it to a folder", id, ErrUnavailable)
	case c.Offline:
		return File{}, fmt.Errorf("looking for %s: %w: it is not in %s, and this is offline: run `spmvtune matrix "+
			"get %s` where there is a network, or put the file there", id, ErrUnavailable, path, id)
	}

	url, err := c.download(ctx, id, path)
	switch {
	case err == nil:
		return c.found(id, path, url)
	case ctx.Err() != nil:
		err = ctx.Err()
	case isDisk(err):
		err = diskError(filepath.Dir(path), err)
	}
	return File{}, fmt.Errorf("downloading %s: %w", id, err)
}

// found describes a file that is there.
func (c *Collection) found(id ID, path, url string) (File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return File{}, fmt.Errorf("looking for %s: %w", id, err)
	}
	if url != "" {
		c.notify(Progress{ID: id, State: Done, URL: url, Have: info.Size(), Size: info.Size()})
	}

	now := time.Now()
	os.Chtimes(c.lockFile(id), now, now) // for Prune; not there where somebody put the file here
	return File{id, path, info.Size(), url}, nil
}

// download asks one server after the other, and returns the address that gave the file, or "" if another process did.
// Without locks the partial file has a unique name, and no process goes on with it.
func (c *Collection) download(ctx context.Context, id ID, path string) (url string, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", err
	}
	unlock, alone, err := files.Lock(ctx, c.lockFile(id), func() {
		p := Progress{ID: id, State: Waiting, Size: -1}
		if info, err := os.Stat(path + ".part"); err == nil {
			p.Have = info.Size()
		}
		c.notify(p)
	})
	switch {
	case err == nil:
		defer unlock()
	case !errors.Is(err, files.ErrNoLocks):
		return "", err
	}
	if _, there := c.Path(id); there { // meanwhile
		return "", nil
	}

	target := path
	if !alone {
		target = fmt.Sprintf("%s.%016x", path, rand.Uint64())
	}
	p, err := openPartial(target)
	if err != nil {
		return "", err
	}
	if url, err = c.ask(ctx, id, p); err == nil {
		err = p.finish()
	}
	if err == nil && !alone {
		err = os.Rename(target, path)
	}
	if err != nil {
		p.leave(alone)
	}
	return url, err
}

// ask asks one server after the other until p is the file, and returns the address that
// gave it. An error that is of all servers is a trouble.
func (c *Collection) ask(ctx context.Context, id ID, p *partial) (string, error) {
	var failed []string
	missed := 0
	for _, server := range c.Servers {
		url := fmt.Sprintf("%s/MM/%s/%s.tar.gz", server, url.PathEscape(id.Group), url.PathEscape(id.Name))
		var t *trouble
		if known, down := c.down.Load(server); down {
			t = known.(*trouble)
		} else if err := c.persist(ctx, id, url, p); err == nil || !errors.As(err, &t) {
			return url, err
		}
		switch t.kind {
		case missing:
			missed++
		case unlinked:
			c.down.Store(server, t)
		}
		failed = append(failed, fmt.Sprintf("%s: %v", url, t))
	}

	why := strings.Join(failed, "; ")
	if missed == len(failed) {
		return "", missing.of(fmt.Errorf("%w: %s: upper and lower case of group and name matter; see "+
			"https://sparse.tamu.edu", ErrNotFound, why))
	}
	return "", refused.of(fmt.Errorf("%w: %s: try again, which continues with what has arrived, or set %s to another "+
		"server", ErrUnavailable, why, EnvServers))
}

// persist asks a server until it has delivered everything, or asking again would be useless.
func (c *Collection) persist(ctx context.Context, id ID, url string, p *partial) error {
	furthest := p.have
	for failures := 0; ; {
		var err error
		if p.URL != url || p.Size < 0 || p.have != p.Size { // not all bytes are here
			err = c.try(ctx, id, url, p)
		}
		if err == nil {
			err = c.check(ctx, id, p)
		}

		var t *trouble
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.As(err, &t):
			return err
		}

		if t.kind == damaged {
			if err := p.forget(t); isDisk(err) {
				return err
			}
		}

		if p.have >= furthest+progressEnough {
			furthest, failures = p.have, 0
		}
		if failures++; failures >= t.kind.tries {
			return t
		}

		if t.after > longestAsked {
			return refused.of(fmt.Errorf("%w; the server asks to come back in %s", t.err, t.after.Round(time.Second)))
		}
		wait := pauseBefore(failures, c.pause, t.after)
		c.notify(Progress{ID: id, State: Retrying, URL: url, Have: p.have, Size: p.Size, Err: t.err, Pause: wait})
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// progressEnough is how far beyond the furthest point so far a try must get not to
// count as a failure, in bytes: a server without ranges starts from the beginning each
// time.
const progressEnough = 64 << 10

// An ID names a matrix of the collection. Neither part can lead out of a folder.
type ID struct{ Group, Name string }

// String gives id as the collection writes it: "DIMACS10/delaunay_n23".
func (id ID) String() string { return id.Group + "/" + id.Name }

var idForm = regexp.MustCompile(`^(\w[\w.+-]*)/(\w[\w.+-]*)$`)

// ParseID reads Group/Name.
func ParseID(text string) (ID, error) {
	m := idForm.FindStringSubmatch(text)
	if m == nil {
		return ID{}, fmt.Errorf(`want Group/Name, as in "DIMACS10/delaunay_n23", not %q`, text)
	}
	return ID{m[1], m[2]}, nil
}

var (
	// ErrUnavailable is wrapped by errors that say that no server delivered the matrix, or that
	// no server may be asked. The matrix may well exist.
	ErrUnavailable = errors.New("it is not available")
	// ErrNotFound is wrapped by errors that say that there is no such matrix.
	ErrNotFound = errors.New("the collection has no such matrix")
)

// A trouble is the error of a try, with its meaning for the next one.
type trouble struct {
	err   error
	kind  *kind
	after time.Duration // the server asks to wait that long
}

func (t *trouble) Error() string { return t.err.Error() }
func (t *trouble) Unwrap() error { return t.err }

// A kind of trouble says how often a server is asked, as long as nothing comes.
type kind struct{ tries int }

var (
	passing  = &kind{6} // try again
	unlinked = &kind{2} // no connection came about
	damaged  = &kind{2} // what came is not the file
	slow     = &kind{2} // next to nothing came for a minute
	refused  = &kind{1} // this server won't give it
	missing  = &kind{1} // this server does not have it
)

// of makes a trouble of an error.
func (k *kind) of(err error) *trouble { return &trouble{err: err, kind: k} }

// network sorts an error of net/http.
func network(err error) *trouble {
	if t, ok := errors.AsType[*trouble](err); ok { // of a redirect
		return t
	}
	if request, ok := errors.AsType[*url.Error](err); ok { // names the URL, as who reports it does
		err = request.Err
	}
	if _, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return refused.of(err)
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && (op.Op == "dial" || op.Op == "proxyconnect") {
		return unlinked.of(err)
	}
	return passing.of(err)
}

// diskError explains an error of writing in a folder.
func diskError(dir string, err error) error {
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		err = path.Err
	}
	remedy := "check the folder, or set SPMVTUNE_CACHE to another one"
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		remedy = "what came is kept, and the next try goes on from there: free some space, or set SPMVTUNE_CACHE to " +
			"a folder with more"
	}

	return fmt.Errorf("writing to %s: %w: %s", dir, err, remedy)
}

// A State is the stage of a download.
type State int

const (
	Waiting     State = iota // for another process, which downloads the same matrix
	Downloading              // bytes are coming
	Retrying                 // waiting before the next try, because of Err
	Checking                 // all bytes are here; they are being read
	Done                     // the file has its name
)

// Progress says how a download goes.
type Progress struct {
	ID    ID
	State State
	URL   string        // "" while Waiting
	Have  int64         // bytes of the partial file
	Size  int64         // bytes in all, -1 if it is not known
	Err   error         // of Retrying
	Pause time.Duration // of Retrying: until the next try
}

func (c *Collection) notify(p Progress) {
	if c.Notify != nil {
		c.Notify(p)
	}
}
