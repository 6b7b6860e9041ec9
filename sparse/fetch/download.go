// SPDX-License-Identifier: Apache-2.0

package fetch

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/base/files"
)

// client makes requests whose bytes are not decoded.
func (c *Collection) client() *http.Client {
	transport := c.transport
	if transport == nil {
		network := http.DefaultTransport.(*http.Transport).Clone()
		network.DisableCompression = true
		network.DisableKeepAlives = true // a connection that broke is not used again
		transport = network
	}
	return &http.Client{Transport: transport, CheckRedirect: redirect}
}

// get asks for an address. The answer's body ends with an error when nothing came for
// c.Stall.
func (c *Collection) get(ctx context.Context, address string, header map[string]string) (*http.Response, *stallGuard,
	error) {
	guard := &stallGuard{parent: ctx, most: c.Stall}
	guard.ctx, guard.cancel = context.WithCancelCause(ctx)
	guard.timer = time.AfterFunc(c.Stall, func() { guard.cancel(fmt.Errorf("nothing came for %s", c.Stall)) })
	req, err := http.NewRequestWithContext(guard.ctx, http.MethodGet, address, nil)
	if err != nil {
		guard.stop()
		return nil, nil, err
	}

	req.Header.Set("User-Agent", "spmvtune")
	req.Header.Set("Accept-Encoding", "identity")
	for key, value := range header {
		req.Header.Set(key, value)
	}

	resp, err := c.client().Do(req)
	if err != nil {
		err = guard.explain(err)
		guard.stop()
		return nil, nil, err
	}

	guard.body = resp.Body
	return resp, guard, nil
}

// try asks a server once for what p lacks. Errors are troubles of the network, or of
// the disk.
func (c *Collection) try(ctx context.Context, id ID, address string, p *partial) error {
	header := map[string]string{}
	if p.have > 0 && p.URL == address && p.validator() != "" {
		header["Range"] = fmt.Sprintf("bytes=%d-", p.have)
		header["If-Range"] = p.validator()
	}

	resp, body, err := c.get(ctx, address, header)
	if err != nil {
		return network(err)
	}
	defer body.Close()

	switch {
	case resp.StatusCode == http.StatusPartialContent && header["Range"] != "":
		if err := p.continues(resp); err != nil {
			return p.forget(passing.of(err))
		}
	case resp.StatusCode == http.StatusOK:
		if err := p.begin(stateOf(resp, address)); err != nil {
			return err
		}

	case resp.StatusCode == http.StatusRequestedRangeNotSatisfiable:
		return p.forget(passing.of(errChanged))
	default:
		return status(resp)
	}
	most, err := p.room()
	if err != nil {
		return err
	}

	return c.copy(id, p, body, most)
}

// copy appends what comes to p, until it has more than most bytes.
func (c *Collection) copy(id ID, p *partial, body io.Reader, most int64) error {
	buf := make([]byte, 256<<10)
	for {
		c.notify(Progress{ID: id, State: Downloading, URL: p.URL, Have: p.have, Size: p.Size})
		n, err := body.Read(buf)
		if p.have == 0 && n > 1 && (buf[0] != 0x1f || buf[1] != 0x8b) {
			return p.forget(damaged.of(errors.New("what arrived is not the archive: it is not a gzip file")))
		}
		took, full := p.file.WriteAt(buf[:n], p.have)
		if p.have += int64(took); full != nil { // what a full disk took counts
			return full
		}
		if p.have > most {
			return p.forget(damaged.of(fmt.Errorf("the server gives no size, and more than %d bytes arrived", most)))
		}

		switch {
		case err == nil:
		case errors.Is(err, errTrickle):
			return slow.of(err)
		case err != io.EOF:
			return passing.of(err)
		case p.Size >= 0 && p.have != p.Size:
			return passing.of(io.ErrUnexpectedEOF)
		default:
			p.Size = p.have
			return nil
		}
	}
}

// stateOf says which bytes an answer begins with.
func stateOf(resp *http.Response, address string) state {
	s := state{URL: address, Modified: resp.Header.Get("Last-Modified"), Size: resp.ContentLength}
	if tag := resp.Header.Get("ETag"); strings.HasPrefix(tag, `"`) {
		s.ETag = tag // a weak one, W/"…", stands for more than one content
	}
	if sum, err := base64.StdEncoding.DecodeString(resp.Header.Get("Content-MD5")); err == nil && len(sum) == 16 {
		s.MD5 = sum
	}
	return s
}

var errChanged = errors.New("the file has changed on the server")

// continues checks that an answer goes on where p ends.
func (p *partial) continues(resp *http.Response) error {
	var first, last, size int64
	text := resp.Header.Get("Content-Range")
	if n, _ := fmt.Sscanf(text, "bytes %d-%d/%d", &first, &last, &size); n != 3 || first != p.have || last != size-1 ||
		p.Size >= 0 && size != p.Size {
		return fmt.Errorf("asked for the bytes from %d of %d, the server sends %q", p.have, p.Size, text)
	}

	if tag := resp.Header.Get("ETag"); p.ETag != "" && tag != "" && tag != p.ETag {
		return errChanged
	}
	p.Size = size
	return nil
}

// status sorts answers that bring no bytes of the file.
func status(resp *http.Response) *trouble {
	t := &trouble{errors.New(resp.Status), passing, retryAfter(resp.Header)}
	switch code := resp.StatusCode; {
	case code == http.StatusNotFound || code == http.StatusGone:
		t.kind = missing
	case code >= 500 && code != http.StatusNotImplemented && code != http.StatusHTTPVersionNotSupported,
		code == http.StatusTooManyRequests, code == http.StatusRequestTimeout, code == http.StatusTooEarly:
	default:
		t.kind = refused
	}

	return t
}

// largest is how many bytes a file has at most: several times as many as the collection's largest.
const largest = 100_000_000_000

// room returns how many bytes p may have, or an error if the rest of the download does not fit on the disk.
// A download of unknown size takes at most half of what is free.
func (p *partial) room() (most int64, err error) {
	free := min(files.Free(p.name()), largest)
	switch more := p.Size - p.have; {
	case p.Size < 0:
		return p.have + free/2, nil
	case more > free:
		return 0, fmt.Errorf("%d bytes are missing, and %d are free: %w", more, free, unix.ENOSPC)
	}
	return p.Size, nil
}

// A stallGuard reads a body, and ends the request when nothing came for a while, or in twice
// that next to nothing. The time that its caller takes between reads does not count.
type stallGuard struct {
	ctx    context.Context // of the request
	parent context.Context
	cancel context.CancelCauseFunc
	timer  *time.Timer
	most   time.Duration
	body   io.ReadCloser

	came   int           // bytes since there was progress
	waited time.Duration // for them
}

// errTrickle says that a server is too slow to be waited for.
var errTrickle = errors.New("next to nothing came")

func (g *stallGuard) Read(p []byte) (int, error) {
	g.timer.Reset(g.most)
	start := time.Now()
	n, err := g.body.Read(p)
	g.timer.Stop()
	g.came, g.waited = g.came+n, g.waited+time.Since(start)
	switch {
	case g.came >= progressEnough:
		g.came, g.waited = 0, 0
	case err == nil && g.waited > 2*g.most:
		err = fmt.Errorf("%w: %d bytes in %s", errTrickle, g.came, g.waited.Round(time.Second))
	}
	if err != nil && err != io.EOF {
		err = g.explain(err)
	}
	return n, err
}

// explain replaces the error of a request that was given up.
func (g *stallGuard) explain(err error) error {
	if errors.Is(err, context.Canceled) && g.parent.Err() == nil {
		return context.Cause(g.ctx)
	}
	return err
}

func (g *stallGuard) stop() {
	g.timer.Stop()
	g.cancel(nil)
}

func (g *stallGuard) Close() error {
	g.stop()
	return g.body.Close()
}

const (
	longestPause = 30 * time.Second
	// longestAsked is the longest that a server may ask to wait.
	longestAsked = 2 * time.Minute
)

// pauseBefore is the time to wait before a try, counted from 1 for the second. It doubles each
// time, and half of it is random, so that many clients cut off together come back one by one.
// What the server asked for is the least.
func pauseBefore(try int, first, asked time.Duration) time.Duration {
	d := min(first<<min(try-1, 16), longestPause)
	return max(d/2+time.Duration(rand.Int64N(int64(d/2)+1)), asked)
}

// retryAfter reads when the server wants to be asked again.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, 1<<30)) * time.Second
	}
	if at, err := http.ParseTime(text); err == nil {
		return max(time.Until(at), 0)
	}
	return 0
}

// mostRedirects is how many are followed.
const mostRedirects = 5

// redirect follows a redirect, unless it would leave HTTPS. Where it leads to the usual
// port of http, the same is asked for over HTTPS.
func redirect(next *http.Request, via []*http.Request) error {
	if len(via) > mostRedirects {
		return refused.of(fmt.Errorf("more than %d redirects", mostRedirects))
	}
	secure := via[0].URL.Scheme == "https"

	switch to := next.URL; {
	case to.Scheme == "https" || to.Scheme == "http" && !secure:
		return nil
	case to.Scheme == "http" && (to.Port() == "" || to.Port() == "80"):
		to.Scheme, to.Host = "https", to.Hostname()
		return nil
	default:
		return refused.of(fmt.Errorf("a redirect from https to %s://%s is not followed", to.Scheme, to.Host))
	}
}
