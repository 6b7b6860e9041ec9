package fetch

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"
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
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return File{}, fmt.Errorf("downloading %s: %w", id, diskError(filepath.Dir(path), err))
	}

	unlock, alone, err := lock(ctx, c.lockFile(id), func() {
		p := Progress{ID: id, State: Waiting, Size: -1}
		if info, err := os.Stat(path + ".part"); err == nil {
			p.Have = info.Size()
		}
		c.notify(p)
	})
	if err != nil {
		if ctx.Err() == nil {
			err = diskError(filepath.Dir(path), err)
		}
		return File{}, fmt.Errorf("downloading %s: %w", id, err)
	}
	defer unlock()

	if _, there := c.Path(id); there { // meanwhile
		return c.found(id, path, "")
	}
	url, err := c.download(ctx, id, path, alone)
	if err != nil {
		return File{}, err
	}

	return c.found(id, path, url)
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

// download asks one server after the other, and returns the address that gave the file. Without
// locks, alone is false: the partial file then has a unique name, and no process goes on with
// it.
func (c *Collection) download(ctx context.Context, id ID, path string, alone bool) (string, error) {
	target := path
	if !alone {
		target = fmt.Sprintf("%s.%016x", path, rand.Uint64())
	}
	p, err := openPartial(target)
	if err != nil {
		return "", fmt.Errorf("downloading %s: %w", id, diskError(filepath.Dir(path), err))
	}

	url, err := c.ask(ctx, id, p)
	if err == nil {
		err = p.finish()
	}
	if err == nil && !alone {
		err = os.Rename(target, path)
	}
	if err == nil {
		return url, nil
	}

	p.leave(alone)
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case isDisk(err):
		err = diskError(filepath.Dir(path), err)
	}

	return "", fmt.Errorf("downloading %s: %w", id, err)
}

// ask asks one server after the other until p is the file, and returns the address that
// gave it. An error that is of all servers is a trouble.
func (c *Collection) ask(ctx context.Context, id ID, p *partial) (string, error) {
	var failed []string
	missed := 0
	for _, server := range c.Servers {
		url := address(server, id)
		err := c.reached(server)
		if err == nil {
			err = c.persist(ctx, id, url, p)
		}

		var t *trouble
		if err == nil || !errors.As(err, &t) {
			return url, err
		}
		switch t.kind {
		case missing:
			missed++
		case unlinked:
			c.unreachable(server, t)
		}
		failed = append(failed, fmt.Sprintf("%s: %v", url, t))
	}

	why := strings.Join(failed, "; ")
	if missed == len(failed) {
		return "", &trouble{err: fmt.Errorf("%w: %s: upper and lower case of group and name matter; see "+
			"https://sparse.tamu.edu", ErrNotFound, why)}
	}
	return "", &trouble{err: fmt.Errorf("%w: %s: try again, which goes on with what came, or set %s to another server",
		ErrUnavailable, why, EnvServers)}
}

// persist asks a server until it has delivered everything, or asking again would be useless.
func (c *Collection) persist(ctx context.Context, id ID, url string, p *partial) error {
	furthest := p.have
	for failures := 0; ; {
		var err error
		if p.URL != url || !p.complete() {
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
		if failures++; failures >= t.kind.tries() {
			return t
		}

		if t.after > longestAsked {
			return &trouble{err: fmt.Errorf("%w; %w", t.err, tooLong(t.after)), kind: refused}
		}
		wait := pauseBefore(failures, c.pause, t.after)
		c.notify(Progress{ID: id, State: Retrying, URL: url, Have: p.have, Size: p.Size, Err: t.err, Pause: wait})
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// progressEnough is how far beyond the furthest point so far a try must get not to
// count as a failure, in bytes: a server without ranges starts from the beginning each
// time.
const progressEnough = 64 << 10
