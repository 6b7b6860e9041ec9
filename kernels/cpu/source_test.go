// SPDX-License-Identifier: Apache-2.0

package cpu

import (
	"strings"
	"testing"
	"testing/fstest"

	"example.org/spmvtune/internal/testing/testkit"
)

const sourceBefore = `package p
import "x/q"
const (
	one = 1
	two = 2
)
type T struct{}
func (T) Size() int { return one }
func f() int { var t T; return t.Size() }
func g(n int) func() int { return func() int { return n } }
func h() int { return q.Make().Size() }
func help() int { return 3 }
`

const imported = `package q
type Q struct{}
func Make() Q { help(); return Q{} }
func help() {}
func beside() {}
`

func parse(t *testing.T, source, imported string) *program {
	t.Helper()
	return testkit.Must(parseSource(
		sourcePackage{"x/p", fstest.MapFS{"p.go": {Data: []byte(source)}, "p_test.go": {Data: []byte("package p\nfunc f() {}")}}},
		sourcePackage{"x/q", fstest.MapFS{"q.go": {Data: []byte(imported)}}}))
}

// What a function uses through others, methods, constants and other packages counts; comments, layout, tests, and
// what it does not use, as what has the name of another package's, do not.
func TestSourceFunctions(t *testing.T) {
	of := func(source, imported string) string { return parse(t, source, imported).functions("f", "h") }
	was := of(sourceBefore, imported)
	testkit.Check(t, strings.Contains(was, "Size") && !strings.Contains(was, "beside"), "f and h use %s", was)
	for _, tt := range []struct {
		before, after string
		counts        bool
	}{
		{"one = 1", "one = 2", true}, {"return one", "return one + 1", true}, {"func help() {}", "func help() { panic(1) }", true},
		{"type Q struct{}", "type Q struct{ n int }", true}, {"type T struct{}", "type T struct {\n}\n// Comment.", false},
		{"beside() {}", "beside() { panic(1) }", false}, {"return 3", "return 4", false}, {"return n }", "return n + 1 }", false},
	} {
		change := strings.NewReplacer(tt.before, tt.after)
		if is := of(change.Replace(sourceBefore), change.Replace(imported)); (is != was) != tt.counts {
			t.Errorf("%s: counts is not %t", tt.after, tt.counts)
		}
	}
}

func TestTokens(t *testing.T) {
	testkit.Equal(t, Tokens([]byte("x := f(1) // one\n")), Tokens([]byte("x :=\n\tf(1)\n")), "other white space")
	testkit.Check(t, Tokens([]byte("x := 1\n")) != Tokens([]byte("x := 2\n")), "another number is the same code")
}
