// SPDX-License-Identifier: Apache-2.0

package plots

import (
	"testing"

	"example.org/spmvtune/internal/testing/synthetic"
	"example.org/spmvtune/internal/testing/testkit"
)

// BenchmarkReport reports on 19,800 trials: of 22 kernels on 100 matrices, in 9 sizes. A first
// report draws everything, a second one nothing.
func BenchmarkReport(b *testing.B) {
	d := synthetic.Crowd(100, 32, 22).Report()
	write := func(b *testing.B, dir string) {
		testkit.Must(Write(b.Context(), d, dir, Options{}))
	}

	b.Run("first", func(b *testing.B) {
		for b.Loop() {
			write(b, b.TempDir())
		}
	})
	b.Run("again", func(b *testing.B) {
		dir := b.TempDir()
		write(b, dir)
		for b.Loop() {
			write(b, dir)
		}
	})
}
