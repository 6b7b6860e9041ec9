package mtx

import (
	"archive/tar"
	"bufio"
	"errors"
	"io"
	"path"
	"strings"
)

// isTar reports whether a file starts like a tar archive.
func isTar(start []byte) bool { return len(start) >= 262 && string(start[257:262]) == "ustar" }

// A member is a matrix within a tar archive. Nothing is unpacked to disk, so
// names can't lead anywhere; only its bytes are handed out.
type member struct {
	archive *tar.Reader
	packed  io.Reader // what archive reads
}

// openMember finds the matrix in an archive of the SuiteSparse collection: the
// file NAME/NAME.mtx. Others beside it, such as NAME_b.mtx, are right-hand sides
// and the like. Links are not followed.
func openMember(r io.Reader) (*member, error) {
	m := &member{tar.NewReader(r), r}
	for {
		h, err := m.archive.Next()
		if errors.Is(err, io.EOF) {
			return nil, errNoMember
		}
		if err != nil {
			return nil, err
		}
		folder, file := path.Split(strings.TrimPrefix(h.Name, "./"))
		if h.Typeflag == tar.TypeReg && file != ".mtx" && folder == strings.TrimSuffix(file, ".mtx")+"/" && strings.HasSuffix(file, ".mtx") {
			return m, nil
		}
	}
}

var errNoMember = errors.New("no member NAME/NAME.mtx")

// Read reads on to the end of the archive behind the end of the member, since
// the checksum of a packed one comes last.
func (m *member) Read(p []byte) (int, error) {
	n, err := m.archive.Read(p)
	if errors.Is(err, io.EOF) {
		if _, rest := io.Copy(io.Discard, m.packed); rest != nil {
			err = rest
		}
	}
	return n, err
}

// unpack replaces an archive by the matrix in it, and returns how that starts.
func (s *source) unpack(archive io.Reader) (start []byte, err error) {
	m, err := openMember(archive)
	if errors.Is(err, errNoMember) {
		return nil, s.errorf(1, "this tar archive has no matrix, a file NAME/NAME.mtx as in archives of the SuiteSparse collection: unpack the one you mean")
	}
	if err != nil {
		return nil, s.failure(err)
	}
	text := bufio.NewReaderSize(m, sniffSize)
	start, err = text.Peek(sniffSize)
	if len(start) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, s.failure(err)
	}
	s.r = text
	return start, nil
}
