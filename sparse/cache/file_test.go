// SPDX-License-Identifier: Apache-2.0

package cache

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"example.org/spmvtune/internal/testing/testkit"
)

func write(t *testing.T, path, text string) {
	t.Helper()
	testkit.Succeed(t, os.WriteFile(path, []byte(text), 0o666))
}

func identify(t *testing.T, d *Dir, path string) *File {
	t.Helper()
	return testkit.Must(d.Identify(t.Context(), path))
}

// The digest follows the bytes, and nothing else.
func TestIdentify(t *testing.T) {
	d, dir := At(t.TempDir()), t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, a, "one")
	write(t, b, "one")
	first := identify(t, d, a)
	testkit.Equal(t, first.Digest, identify(t, d, b).Digest, "the name of a file changes its digest")

	testkit.Check(t, first.Unchanged(t.Context()), "a file changes by being read")

	// The same size, and the same time of modification.
	info := testkit.Must(os.Stat(a))
	write(t, a, "two")
	testkit.Succeed(t, os.Chtimes(a, info.ModTime(), info.ModTime()))

	testkit.Check(t, !first.Unchanged(t.Context()), "other content passes for the same")
	testkit.Check(t, identify(t, d, a).Digest != first.Digest, "other content has the same digest")
	testkit.Fails(t, testkit.Err(d.Identify(t.Context(), dir)), "", "a folder")
}

// A digest covers all pieces in order.
func TestDigestOfPieces(t *testing.T) {
	d, path := At(t.TempDir()), filepath.Join(t.TempDir(), "f")
	text := bytes.Repeat([]byte{0}, 2*pieceSize+5)
	seen := map[string]int{}
	for _, at := range []int{-1, 0, pieceSize - 1, pieceSize, 2 * pieceSize, len(text) - 1} {
		if at >= 0 {
			text[at] = 1
		}
		write(t, path, string(text))
		if at >= 0 {
			text[at] = 0
		}

		digest := identify(t, d, path).Digest
		other, taken := seen[digest]
		testkit.Check(t, !taken, "a one at %d gives the digest of one at %d", at, other)
		seen[digest] = at
	}
}

// What is remembered is for that stamp only, and only while it is whole.
func TestRemember(t *testing.T) {
	d := At(t.TempDir())
	s := stamp{1, 2, 3, 4, 5}
	digest := string(NewKey("x"))
	d.remember(s, digest)
	testkit.Equal(t, d.recall(s), digest, "recalled")

	for _, other := range []stamp{{0, 2, 3, 4, 5}, {1, 0, 3, 4, 5}, {1, 2, 0, 4, 5}, {1, 2, 3, 0, 5}, {1, 2, 3, 4, 0}} {
		testkit.Equal(t, d.recall(other), "", "recalled for %+v", other)
	}

	good := testkit.Must(os.ReadFile(d.note(s)))
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 1
		write(t, d.note(s), string(bad))
		testkit.Equal(t, d.recall(s), "", "byte %d is changed: recalled", i)

		write(t, d.note(s), string(good[:i]))
		testkit.Equal(t, d.recall(s), "", "cut off at %d: recalled", i)
	}
}

// A file is hashed once it is known only if it could not have changed unseen.
func TestSettled(t *testing.T) {
	now := time.Now()
	at := func(modified, status time.Duration) stamp {
		return stamp{modified: now.Add(-modified).UnixNano(), statusTime: now.Add(-status).UnixNano()}
	}

	for _, c := range []struct {
		s    stamp
		want bool
	}{
		{at(time.Hour, time.Hour), true},
		{at(time.Hour, time.Second), false},
		{at(time.Second, time.Hour), false},
		{at(-time.Hour, -time.Hour), false}, // a clock that is ahead
	} {
		testkit.Equal(t, c.s.settled(now), c.want, "%+v", c.s)
	}

	d, path := At(t.TempDir()), filepath.Join(t.TempDir(), "f")
	write(t, path, "text")
	identify(t, d, path)
	list, _ := os.ReadDir(filepath.Join(d.path, notes))
	testkit.Equal(t, len(list), 0, "notes on a file that was just written")

	f := testkit.Must(os.Open(os.Args[0])) // the test's own program was linked a while ago
	defer f.Close()
	if s, err := stampOf(f); err != nil || !s.settled(time.Now()) {
		t.Skip("the program of this test is too young to be remembered")
	}

	first := identify(t, d, os.Args[0])
	s := first.stamp
	d.remember(s, string(NewKey("planted"))) // shows that it is not hashed again
	testkit.Equal(t, identify(t, d, os.Args[0]).Digest, string(NewKey("planted")), "the digest of a file that has not changed")
}
