// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"bytes"
	"context"
	"crypto/md5"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/spmvtune/sparse/cache"
	"example.org/spmvtune/sparse/file"
)

// A collection depends on these environment variables, and on [cache.Env].
const (
	EnvServers = "SPMVTUNE_SUITESPARSE_URL" // servers, separated by blanks, in place of Servers
	EnvOffline = "SPMVTUNE_OFFLINE"         // anything but "", 0, no, off and false: download nothing
)

// Servers are the collection's own server and its older one in Florida, which holds
// the same files.
var Servers = []string{"https://sparse.tamu.edu", "https://www.cise.ufl.edu/research/sparse"}

// A Collection is where matrices come from, and where they are kept. It may be used by
// several goroutines. Start from Default.
type Collection struct {
	Servers []string // asked one after the other for SERVER/MM/GROUP/NAME.tar.gz
	Dir     string   // of what is downloaded; "": it can't be kept
	Offline bool     // use only what is in Dir
	// Notify gets the progress of downloads, many times a second; it may be nil.
	Notify func(Progress)
	// Stall is how long nothing may come before a connection counts as dead.
	Stall time.Duration

	pause     time.Duration     // before the second try; then twice that, and so on
	transport http.RoundTripper // nil: the network

	// down has why servers could not be reached at all: a sweep of fifty matrices without a network waits once.
	down sync.Map
}

// Default returns the collection of the environment: the servers of [EnvServers] or else
// [Servers], and the folder suitesparse in the user's cache.
func Default() (*Collection, error) {
	c := &Collection{Servers: Servers, Stall: 30 * time.Second, pause: time.Second}
	if set := strings.Fields(os.Getenv(EnvServers)); len(set) > 0 {
		if err := c.SetServers(set); err != nil {
			return nil, fmt.Errorf("%s: %w", EnvServers, err)
		}
	}

	no := []string{"", "0", "no", "off", "false"}
	c.Offline = !slices.Contains(no, strings.ToLower(os.Getenv(EnvOffline)))
	dir, err := cache.Default()
	if err != nil {
		return nil, err
	}

	if dir != nil {
		c.Dir = filepath.Join(dir.Path(), "suitesparse")
	}
	return c, nil
}

// SetServers makes c ask these servers, which may be mirrors. http is allowed if a server's URL
// has it.
func (c *Collection) SetServers(servers []string) error {
	var list []string
	for _, s := range servers {
		u, err := url.Parse(s)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" ||
			u.Fragment != "" {
			return fmt.Errorf("%q is not the URL of a server, such as %s", s, Servers[0])
		}
		list = append(list, strings.TrimRight(s, "/"))
	}

	c.Servers = list
	return nil
}

// Path returns the path for the file of a matrix, and whether the file exists.
func (c *Collection) Path(id ID) (path string, there bool) {
	if c.Dir == "" {
		return "", false
	}
	path = filepath.Join(c.Dir, id.Group, id.Name+extension)
	info, err := os.Stat(path)
	return path, err == nil && info.Mode().IsRegular()
}

// check reads all of p. Errors are troubles, or that ctx has ended.
func (c *Collection) check(ctx context.Context, id ID, p *partial) error {
	c.notify(Progress{ID: id, State: Checking, URL: p.URL, Have: p.have, Size: p.Size})
	want := p.MD5
	if want == nil {
		want = c.digestBeside(ctx, p.URL)
	}

	sum := md5.New()
	whole := io.TeeReader(io.NewSectionReader(p.file, 0, p.have), sum)
	err := file.CheckArchive(ctx, whole, id.Name)
	if ctx.Err() != nil {
		return ctx.Err()
	}

	if err == nil && want != nil {
		// The archive's end may come before the file's.
		if _, err = io.Copy(io.Discard, whole); err == nil && !bytes.Equal(sum.Sum(nil), want) {
			err = fmt.Errorf("its MD5 is %x, and should be %x", sum.Sum(nil), want)
		}
	}
	if err != nil {
		return damaged.of(fmt.Errorf("what arrived is not the archive: %w", err))
	}

	return nil
}

// digestBeside asks for the MD5 in the file beside an archive, in the form of md5sum. It is nil
// if there is no such file.
func (c *Collection) digestBeside(ctx context.Context, address string) []byte {
	ctx, cancel := context.WithTimeout(ctx, 2*c.Stall) // even if it comes byte by byte
	defer cancel()
	resp, body, err := c.get(ctx, address+".md5", nil)
	if err != nil {
		return nil
	}
	defer body.Close()
	text, err := io.ReadAll(io.LimitReader(body, 4<<10))
	if err != nil || resp.StatusCode != http.StatusOK {
		return nil
	}

	word, _, _ := bytes.Cut(bytes.TrimSpace(text), []byte(" "))
	sum, err := hex.DecodeString(string(word))
	if err != nil || len(sum) != md5.Size {
		return nil
	}
	return sum
}

// isDisk reports whether err comes from this machine and not from the network.
func isDisk(err error) bool { return err != nil && !errors.As(err, new(*trouble)) }
