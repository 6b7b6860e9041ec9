package gosource

import "testing"

const before = `package p
var table = map[string]func() int{"a": f, "b": g(1)}
const (
	one = 1
	two = 2
)
type T struct{}
func (T) Size() int { return one }
func f() int { var t T; return t.Size() }
func g(n int) func() int { return func() int { return n } }
`

func parse(t *testing.T, source string) *Program {
	t.Helper()
	p, err := Parse([]byte(source))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What a row uses through functions, methods and constants counts; comments, layout, and
// what only other rows use do not.
func TestRow(t *testing.T) {
	const after = `package p
// table has two rows.
var table = map[string]func() int{
	"a": f,
	"b": g(2), // changed
}
const (
	one = 1 // changed in layout
	two = 2
)
type T struct {
}
// Size is changed in one version.
func (T) Size() int {
	return one
}
func f() int { var t T; return t.Size() }
func g(n int) func() int {
	return func() int { return n }
}
`
	was, is := parse(t, before), parse(t, after)
	if a, b := was.Row("table", "a"), is.Row("table", "a"); a == "" || a != b {
		t.Errorf("row a is\n%s\nand then\n%s", a, b)
	}
	if was.Row("table", "b") == is.Row("table", "b") {
		t.Error("row b has changed, but its code has not")
	}
	if got := was.Row("table", "c"); got != "" {
		t.Errorf("a row that is not there: %s", got)
	}
}

func TestCode(t *testing.T) {
	if a, b := Code([]byte("x := f(1) // one\n")), Code([]byte("x :=\n\tf(1)\n")); a != b {
		t.Errorf("%q and %q", a, b)
	}
	if Code([]byte("x := 1\n")) == Code([]byte("x := 2\n")) {
		t.Error("another number is the same code")
	}
}
