package show

import (
	"strings"
	"sync"
	"testing"
	"time"

	"spmvtune/internal/testing/testkit"
)

// What takes long is said once where there is no terminal, and what does not is not.
func TestLong(t *testing.T) {
	said := &firstText{said: make(chan struct{})}
	end := long(said, "loading big", time.Nanosecond, time.Nanosecond)
	<-said.said
	end()
	end()
	testkit.Equal(t, said.text.String(), "loading big\n", "what was said")

	var quiet strings.Builder
	long(&quiet, "loading small", time.Hour, time.Hour)()
	if quiet.Len() > 0 {
		t.Errorf("it says %q", quiet.String())
	}
}

// On a terminal the seconds stay, whatever has no room.
func TestLongFits(t *testing.T) {
	for width, want := range map[int]string{80: "loading a big matrix  12s", 16: "loading a b  12s", 3: "  12s"} {
		testkit.Equal(t, lasting("loading a big matrix", 12*time.Second, width), want, "in %d columns", width)
	}
}

// firstText is a writer that tells of its first text.
type firstText struct {
	text strings.Builder
	once sync.Once
	said chan struct{}
}

func (s *firstText) Write(p []byte) (int, error) {
	defer s.once.Do(func() { close(s.said) })
	return s.text.Write(p)
}
