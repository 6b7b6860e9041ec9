package cache

import (
	"testing"
)

// A matrix of 33,382,480 nonzeros: mycielskian16.
func BenchmarkCache(b *testing.B) {
	d := At(b.TempDir())
	a, m := example(b, "mycielskian", map[string]any{"order": 16})
	fill(b, d, m, a)
	sums, err := sumsOf(b.Context(), a)
	if err != nil {
		b.Fatal(err)
	}

	_, l, err := encodeHeader(header{m, sums})
	if err != nil {
		b.Fatal(err)
	}
	open := func(b *testing.B) *Entry {
		e, err := d.Open(m.Key)
		if err != nil {
			b.Fatal(err)
		}
		return e
	}

	b.Run("open", func(b *testing.B) {
		for b.Loop() {
			open(b).Close()
		}
	})
	b.Run("open and verify", func(b *testing.B) {
		b.SetBytes(l.size)
		for b.Loop() {
			e := open(b)
			if err := e.Verify(b.Context()); err != nil {
				b.Fatal(err)
			}
			e.Close()
		}
	})

	b.Run("open and pattern", func(b *testing.B) {
		b.SetBytes(l.val)
		for b.Loop() {
			e := open(b)
			if _, err := e.Pattern(b.Context()); err != nil {
				b.Fatal(err)
			}
			e.Close()
		}
	})

	b.Run("open and copy", func(b *testing.B) {
		b.SetBytes(l.size)
		for b.Loop() {
			e := open(b)
			if _, err := e.Copy(b.Context()); err != nil {
				b.Fatal(err)
			}
			e.Close()
		}
	})

	b.Run("fill", func(b *testing.B) {
		b.SetBytes(l.size)
		for b.Loop() {
			fill(b, d, m, a)
		}
	})
}
