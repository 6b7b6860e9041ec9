package text

import (
	"archive/tar"
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"spmvtune/internal/base/files"
	"spmvtune/internal/base/panics"
)

const (
	// BlockSize is also the length of the longest line that is accepted.
	BlockSize = 1 << 20
	// sniffSize is the number of bytes by which the kind of a file is recognised.
	sniffSize = 512
)

// A Source hands out a file as blocks of whole lines. Every line ends in '\n',
// the last one too, so that a parser needs no other bound.
//
// Note: plain files are read, not mapped. Mapping 275 MB took 3% less processor
// time on two cores than reading them into blocks that stay in a core's cache,
// no less time on the clock, twice the resident memory, and a file that another
// process cuts off, or a network that fails, ends a process that mapped it.
type Source struct {
	// Name is what errors call the file.
	Name string
	// Extension is that of the text, in lower case and without ".gz": of an
	// archive, that of the matrix in it.
	Extension string
	// Line is the number of the first line that was not handed out yet, or, after
	// NextBlock, of the block that was.
	Line int

	r     *bufio.Reader
	start []byte // of the text
	block []byte // lines not handed out yet
	tail  []byte // the start of a line behind block
	err   error  // why there is nothing to read after tail
}

// NewSource inspects the first bytes, undoes gzip and tar, and refuses files that are clearly
// not text. Of an archive it takes the matrix that has one of these extensions, such as ".mtx".
func NewSource(r io.Reader, name string, members ...string) (*Source, error) {
	s := &Source{Name: name, Extension: Extension(name), Line: 1}
	text := bufio.NewReaderSize(r, 1<<16)
	start, err := text.Peek(sniffSize)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, s.failure(err)
	}

	if bytes.HasPrefix(start, []byte("\x1f\x8b")) {
		unzipped, err := gzip.NewReader(text)
		if err != nil {
			return nil, s.failure(err)
		}
		text = bufio.NewReaderSize(unzipped, sniffSize)
		start, err = text.Peek(sniffSize)
		if len(start) == 0 && err != nil && !errors.Is(err, io.EOF) {
			return nil, s.failure(err)
		}
	}

	s.r = text
	if isTar(start) {
		if start, err = s.unpack(text, members); err != nil {
			return nil, err
		}
	}

	if mark := []byte("\ufeff"); bytes.HasPrefix(start, mark) { // a byte order mark says nothing
		s.r.Discard(len(mark))
		start = start[len(mark):]
	}
	s.start = bytes.Clone(start)
	return s, s.sniff(start)
}

// Extension returns that of a file, in lower case and without ".gz".
func Extension(name string) string {
	return path.Ext(strings.TrimSuffix(strings.ToLower(filepath.ToSlash(name)), ".gz"))
}

// Peek returns the next bytes of the text, at most 512.
func (s *Source) Peek() []byte { return s.start }

// sniff refuses files that are known to be no text, by their first bytes, with
// the remedy that fits.
func (s *Source) sniff(start []byte) error {
	for _, known := range []struct{ prefix, reason string }{
		{"version https://git-lfs.github.com",
			"this is a Git LFS pointer, not the matrix: fetch the file with git lfs pull"},
		{"PK\x03\x04", "this is a zip archive, or NumPy's .npz: unpack the matrix first, or write it in Matrix " +
			"Market form"},
		{"BZh", "this is compressed with bzip2: unpack it first, or use gzip"},
		{"\xfd7zXZ", "this is compressed with xz: unpack it first, or use gzip"},
		{"\x28\xb5\x2f\xfd", "this is compressed with zstd: unpack it first, or use gzip"},
		{"\x89HDF", "this is an HDF5 file, not text: write the matrix in Matrix Market form"},
		{"MATLAB 5.0", "this is a MATLAB file, not text: write the matrix in Matrix Market form"},
		{"#!", "this is a script, not a matrix"},
	} {
		if bytes.HasPrefix(start, []byte(known.prefix)) {
			return s.Errorf(1, "%s", known.reason)
		}
	}

	text := bytes.ToLower(bytes.TrimLeft(start, " \t\r\n"))
	if bytes.HasPrefix(text, []byte("<!doctype")) || bytes.HasPrefix(text, []byte("<html")) ||
		bytes.HasPrefix(text, []byte("<?xml")) {
		return s.Errorf(1, "this is a web page, not a matrix: the download went to a page; get the raw file")
	}
	return nil
}

// NextBlock returns lines not handed out yet, or io.EOF. They lie in buf, of BlockSize+1 bytes,
// or in memory that nothing else uses. s.Line stays: the parser of the lines counts them.
func (s *Source) NextBlock(buf []byte) ([]byte, error) {
	if len(s.block) == 0 {
		if err := s.fill(buf); err != nil {
			return nil, err
		}
	}
	block := s.block
	s.block = nil
	return block, nil
}

// Unread gives lines at the end of a block back: they come next.
func (s *Source) Unread(lines []byte) { s.block = lines }

// NextLine returns one line with its '\n', and its number, or io.EOF.
func (s *Source) NextLine() (text []byte, line int, err error) {
	text, err = s.PeekLine()
	line = s.Line
	if err == nil {
		s.block = s.block[len(text):]
		s.Line++
	}
	return text, line, err
}

// PeekLine returns the line that NextLine returns next.
func (s *Source) PeekLine() ([]byte, error) {
	if len(s.block) == 0 {
		if err := s.fill(make([]byte, BlockSize+1)); err != nil {
			return nil, err
		}
	}
	return s.block[:bytes.IndexByte(s.block, '\n')+1], nil
}

// fill reads until buf is full or the file ends, and makes the whole lines in it
// the next block.
func (s *Source) fill(buf []byte) error {
	n := copy(buf, s.tail)
	for idle := 0; n < BlockSize && s.err == nil; {
		var got int
		got, s.err = s.r.Read(buf[n:BlockSize])
		n += got
		if idle++; got > 0 {
			idle = 0
		} else if idle == 100 && s.err == nil {
			s.err = io.ErrNoProgress
		}
	}

	end := bytes.LastIndexByte(buf[:n], '\n') + 1
	switch {
	case s.err == io.EOF && end < n:
		buf[n] = '\n'
		s.block, s.tail = buf[:n+1], nil
	case end > 0:
		s.block, s.tail = buf[:end], append(s.tail[:0], buf[end:n]...)
	case s.err == io.EOF:
		return io.EOF

	case s.err != nil:
		return s.failure(s.err)
	default:
		return s.Errorf(s.Line, "this line is longer than %d bytes; is this a text file with one entry a line?",
			BlockSize)
	}

	return nil
}

// failure says that reading failed, as opposed to the content being wrong.
func (s *Source) failure(err error) error {
	reason := fmt.Sprintf("reading: %v", err)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		reason = "the compressed data end too early: the file was cut off; get it again"
	case errors.Is(err, tar.ErrHeader):
		reason = fmt.Sprintf("the archive is damaged (%v): get it again", err)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, gzip.ErrHeader):
		reason = fmt.Sprintf("the compressed data are damaged (%v): get the file again", err)
	}

	return &Error{File: s.Name, Line: s.Line, Reason: reason, Err: err}
}

// Errorf returns an [*Error] for a line of the file.
func (s *Source) Errorf(line int, format string, args ...any) error {
	return &Error{File: s.Name, Line: line, Reason: fmt.Sprintf(format, args...)}
}

// Open opens a file, and nothing else.
func Open(path string) (*os.File, error) {
	f, err := files.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening matrix: %w", err)
	}
	return f, nil
}

// An Interruptible reads from R until Ctx ends.
type Interruptible struct {
	Ctx context.Context
	R   io.Reader
}

func (i *Interruptible) Read(p []byte) (int, error) {
	if err := i.Ctx.Err(); err != nil {
		return 0, err
	}
	return i.R.Read(p)
}

// UsualHeader is within how many bytes the sizes of nearly every file are. Of
// thousands of files, on a file system that many share, not more should be read.
const UsualHeader = 8 << 10

// ErrBeyond says that a header goes on beyond its usual length.
var ErrBeyond = errors.New("the header is longer")

// A Beginning is the first Left bytes of R, and not its end: what follows is
// ErrBeyond.
type Beginning struct {
	R    io.Reader
	Left int
}

func (b *Beginning) Read(p []byte) (int, error) {
	if b.Left == 0 {
		return 0, ErrBeyond
	}
	n, err := b.R.Read(p[:min(len(p), b.Left)])
	b.Left -= n
	return n, err
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

// unpack replaces an archive by the matrix in it, and returns how that starts.
func (s *Source) unpack(archive io.Reader, extensions []string) (start []byte, err error) {
	m, err := openMember(archive, "", extensions)
	if errors.Is(err, errNoMember) {
		return nil, s.Errorf(1, "this tar archive has no matrix, a file NAME/NAME%s as in archives of the "+
			"SuiteSparse collection: unpack the one you mean", strings.Join(extensions, " or "))
	}
	if err != nil {
		return nil, s.failure(err)
	}

	text := bufio.NewReaderSize(m, sniffSize)
	start, err = text.Peek(sniffSize)
	if len(start) == 0 && err != nil && !errors.Is(err, io.EOF) {
		return nil, s.failure(err)
	}

	s.r, s.Extension = text, m.extension
	return start, nil
}

// EachBlock parses blocks of lines on all cores at once. take gives the next block and its
// properties, or the reason why there is none; it may put the block in buf, is called by one
// core at a time, and for a packed file means inflating it while the others parse. start gives
// a core its function to parse blocks; the function reports whether it makes sense to go on. A
// small file starts no more than one core. EachBlock returns the error of take, or nil where a
// core saw no sense; every block that was taken has then been parsed.
func EachBlock[T any](take func(buf []byte) (block []byte, about T, err error),
	start func() func(block []byte, about T) bool) error {
	var (
		taking  sync.Mutex // guards take and the two below
		end     error
		stopped bool
		cores   panics.WaitGroup
		work    func(left int)
	)

	next := func(buf []byte) (block []byte, about T, ok bool) {
		taking.Lock()
		defer taking.Unlock()
		if stopped || end != nil {
			return nil, about, false
		}

		block, about, end = take(buf)
		return block, about, end == nil
	}

	work = func(left int) {
		parse := start()
		buf := make([]byte, BlockSize+1)
		for first := true; ; first = false {
			block, about, ok := next(buf)
			if !ok {
				return
			}
			if first && left > 0 { // a small file needs no more cores
				cores.Go(func() { work(left - 1) })
			}

			if !parse(block, about) {
				taking.Lock()
				stopped = true
				taking.Unlock()
			}
		}
	}

	cores.Go(func() { work(runtime.GOMAXPROCS(0) - 1) })
	cores.Wait()
	return end
}
