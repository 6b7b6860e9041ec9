package rule

import (
	"bytes"
	"testing"
)

// Reading the rule that comes with the program is most of what select does where the features of a matrix are known.
func BenchmarkReadEmbedded(b *testing.B) {
	for b.Loop() {
		if _, err := Read(bytes.NewReader(h200)); err != nil {
			b.Fatal(err)
		}
	}
}
