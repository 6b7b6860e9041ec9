package fetch

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"

	"spmvtune/internal/base/files"
)

// A partial is a file that is being downloaded: the first bytes of what its state
// says, in the file PATH.part, the state in PATH.part.json. The state is written when
// the first byte is about to come, so that the bytes are never taken for others.
type partial struct {
	path string // of the file that it becomes
	file *os.File
	have int64
	state
}

// A state says which bytes a partial file begins with.
type state struct {
	URL      string `json:"url"`
	ETag     string `json:"etag,omitempty"`          // strong
	Modified string `json:"last_modified,omitempty"` // as the server writes it
	MD5      []byte `json:"md5,omitempty"`           // of the whole, where the server gave it
	Size     int64  `json:"size"`                    // of the whole, -1 if it is not known
}

// validator identifies this content of the URL; it is "" if the server sends none.
func (s state) validator() string {
	if s.ETag != "" {
		return s.ETag
	}
	return s.Modified
}

// complete reports whether all bytes are here.
func (p *partial) complete() bool { return p.URL != "" && p.Size >= 0 && p.have == p.Size }

// openPartial opens what an earlier try has left, or makes an empty file.
func openPartial(path string) (*partial, error) {
	p := &partial{path: path, state: state{Size: -1}}
	var err error
	if p.file, err = os.OpenFile(p.name(), os.O_CREATE|os.O_RDWR, 0o666); err != nil {
		return nil, err
	}

	info, err := p.file.Stat()
	if err != nil {
		p.file.Close()
		return nil, err
	}

	text, err := files.ReadFile(p.stateName(), 100_000)
	if err == nil && json.Unmarshal(text, &p.state) == nil && p.URL != "" && (p.Size < 0 || info.Size() <= p.Size) {
		p.have = info.Size()
	} else {
		p.state = state{Size: -1}
	}
	return p, nil
}

func (p *partial) name() string      { return p.path + ".part" }
func (p *partial) stateName() string { return p.name() + ".json" }

// begin forgets the bytes that are here, and begins with those of s.
func (p *partial) begin(s state) error {
	p.have = 0
	if err := errors.Join(ignoreMissing(os.Remove(p.stateName())), p.file.Truncate(0)); err != nil {
		return err
	}
	p.state = s
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}

	return os.WriteFile(p.stateName(), text, 0o666)
}

// forget makes p empty because of t.
func (p *partial) forget(t *trouble) error {
	if err := p.begin(state{Size: -1}); err != nil {
		return err
	}
	return t
}

// append adds bytes. What a full disk took of them counts.
func (p *partial) append(b []byte) error {
	n, err := p.file.WriteAt(b, p.have)
	p.have += int64(n)
	return err
}

// reader reads the whole.
func (p *partial) reader() io.Reader { return io.NewSectionReader(p.file, 0, p.have) }

// finish gives the file its name when it is on the disk.
func (p *partial) finish() error {
	err := errors.Join(p.file.Sync(), p.file.Close())
	if err == nil {
		err = os.Rename(p.name(), p.path)
	}
	if err != nil {
		return err
	}
	os.Remove(p.stateName())
	return syncDir(filepath.Dir(p.path))
}

// leave closes p. The next try goes on with the bytes received so far, if they are worth
// keeping.
func (p *partial) leave(keep bool) {
	p.file.Close()
	if !keep || p.have == 0 {
		os.Remove(p.name())
		os.Remove(p.stateName())
	}
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}

func ignoreMissing(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}
