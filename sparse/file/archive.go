// SPDX-License-Identifier: Apache-2.0

package file

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
)

// CheckArchive reads a gzipped archive of the collection to its end, until ctx ends,
// and reports whether it is whole: the packing's checksums are right, and the matrix
// name/name.mtx is in it. The matrix itself is not read.
func CheckArchive(ctx context.Context, r io.Reader, name string) error {
	unzipped, err := gzip.NewReader(bufio.NewReaderSize(&interruptible{ctx, r}, 1<<16))
	if err != nil {
		return fmt.Errorf("unpacking: %w", err)
	}
	m, err := openMember(unzipped, name, mtx.Extensions[:1])
	if errors.Is(err, errNoMember) {
		return fmt.Errorf("unpacking: no file %s/%s%s is in it", name, name, mtx.Extensions[0])
	}
	if err == nil {
		_, err = io.Copy(io.Discard, m)
	}
	if err != nil {
		return fmt.Errorf("unpacking: %w", err)
	}

	return nil
}

// isTar reports whether a file starts like a tar archive.
func isTar(start []byte) bool { return len(start) >= 262 && string(start[257:262]) == "ustar" }

// A member is a matrix within a tar archive. Nothing is unpacked to disk, so
// names can't lead anywhere; only its bytes are handed out.
type member struct {
	archive   *tar.Reader
	packed    io.Reader // what archive reads
	extension string
}

// maxMember is how long a matrix in an archive may be, in bytes, and maxUnpacked the
// archive: 2³¹ entries of 48 bytes, two indices and a value with all its digits, take
// 96 GiB. A small file can unpack to more than any disk or patience holds.
const (
	maxMember   = 128 << 30
	maxUnpacked = 2 * maxMember
)

// openMember finds the matrix in an archive of the SuiteSparse collection: the file
// NAME/NAME.mtx, of any name or of the one given, where .mtx is one of the extensions. Other
// files, such as NAME_b.mtx, are right-hand sides and the like. Only regular files count: links
// are not followed, and nothing else is read.
func openMember(r io.Reader, name string, extensions []string) (*member, error) {
	packed := &bounded{r, maxUnpacked}
	m := &member{archive: tar.NewReader(packed), packed: packed}
	for {
		h, err := m.archive.Next()
		if errors.Is(err, io.EOF) {
			return nil, errNoMember
		}
		if err != nil {
			return nil, err
		}

		folder, file := path.Split(strings.TrimPrefix(h.Name, "./"))
		m.extension = path.Ext(file)
		stem := strings.TrimSuffix(file, m.extension)
		if h.Typeflag != tar.TypeReg || !slices.Contains(extensions, m.extension) || stem == "" || folder != stem+"/" ||
			name != "" && stem != name {
			continue
		}

		if h.Size > maxMember {
			return nil, fmt.Errorf("%s has %d bytes, and at most %d are read", h.Name, h.Size, int64(maxMember))
		}
		return m, nil
	}
}

var errNoMember = errors.New("no member NAME/NAME with an extension of a matrix")

// A bounded reader fails after left bytes, where LimitReader would end.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("the archive unpacks to more than %d bytes", int64(maxUnpacked))
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// After the end of the member, Read goes on to the end of the archive, because the checksum of
// a packed archive comes last.
func (m *member) Read(p []byte) (int, error) {
	n, err := m.archive.Read(p)
	if errors.Is(err, io.EOF) {
		if _, rest := io.Copy(io.Discard, m.packed); rest != nil {
			err = rest
		}
	}
	return n, err
}
