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

	"spmvtune/sparse/internal/text"
	"spmvtune/sparse/mtx"
)

// check reads all of p. Errors are troubles, or that ctx has ended.
func (c *Collection) check(ctx context.Context, id ID, p *partial) error {
	c.notify(Progress{ID: id, State: Checking, URL: p.URL, Have: p.have, Size: p.Size})
	want := p.MD5
	if want == nil {
		want = c.digestBeside(ctx, p.URL)
	}

	sum := md5.New()
	whole := io.TeeReader(p.reader(), sum)
	err := text.CheckArchive(ctx, whole, id.Name, mtx.Format.Extensions[0])
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
		return &trouble{err: fmt.Errorf("what came is not the archive: %w", err), kind: damaged}
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
func isDisk(err error) bool {
	var t *trouble
	return err != nil && !errors.As(err, &t)
}
