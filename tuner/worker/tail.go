package worker

import (
	"bytes"
	"strings"
	"sync"

	"spmvtune/internal/base/term"
)

// A tail keeps the beginning and the end of what a worker printed since its last trial began. A crash
// begins with what went wrong and ends with a long trace; a library's message is at the end.
type tail struct {
	mu   sync.Mutex
	head []byte
	rest []byte
}

const (
	headSize = 4 << 10
	tailSize = 4 << 10
)

// newTrial is printed when a trial begins: what was printed before is not said of it.
const newTrial = "\x00"

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	written := len(p)
	if i := bytes.LastIndexByte(p, newTrial[0]); i >= 0 {
		t.head, t.rest, p = nil, nil, p[i+1:]
	}
	n := min(len(p), headSize-len(t.head))
	t.head = append(t.head, p[:n]...)
	t.rest = append(t.rest, p[n:]...)
	if cut := len(t.rest) - tailSize; cut > 0 {
		t.rest = append(t.rest[:0], t.rest[cut:]...)
	}
	return written, nil
}

// complaint returns the line that says what went wrong: the first one with which the Go
// runtime begins a crash, or else the last line. Signs that a terminal would obey are escaped.
func (t *tail) complaint() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	text := string(t.head) + string(t.rest)

	last := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		for _, start := range []string{"panic:", "fatal error:", "runtime:", "SIG", "unexpected fault"} {
			if strings.HasPrefix(line, start) {
				return term.Visible(line)
			}
		}
		if line != "" {
			last = line
		}
	}

	return term.Visible(last)
}
