package gosource

import (
	"strings"
	"testing"
	"testing/fstest"
)

const before = `package p
import "x/q"
var table = map[string]func() int{"a": f, "b": g(1), "c": func() int { return q.Make().Size() }}
const (
	one = 1
	two = 2
)
type T struct{}
func (T) Size() int { return one }
func f() int { var t T; return t.Size() }
func g(n int) func() int { return func() int { return n } }
func help() int { return 3 }
`

const imported = `package q
type Q struct{}
func Make() Q { help(); return Q{} }
func help() {}
func beside() {}
`

func parse(t *testing.T, source, imported string) *Program {
	t.Helper()
	p, err := Parse(
		Package{"x/p", fstest.MapFS{"p.go": {Data: []byte(source)}, "p_test.go": {Data: []byte("package p\nfunc f() {}")}}},
		Package{"x/q", fstest.MapFS{"q.go": {Data: []byte(imported)}}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// What a row uses through functions, methods, constants and other packages counts; comments,
// layout, tests, and what only other rows use do not.
func TestRow(t *testing.T) {
	after := strings.NewReplacer(
		`"a": f, "b": g(1),`, "// table has rows.\n\t\"a\": f,\n\t\"b\": g(2), // changed\n",
		"type T struct{}", "type T struct {\n}\n// Size has a comment.",
	).Replace(before)
	was, is := parse(t, before, imported), parse(t, after, imported)
	if a, b := was.Row("table", "a"), is.Row("table", "a"); a == "" || a != b {
		t.Errorf("row a is\n%s\nand then\n%s", a, b)
	}
	if was.Row("table", "b") == is.Row("table", "b") {
		t.Error("row b has changed, but its code has not")
	}
	if got := was.Row("table", "d"); got != "" {
		t.Errorf("a row that is not there: %s", got)
	}
	if was.Row("table", "b", "f") == was.Row("table", "b") {
		t.Error("f is to be counted with row b, and is not")
	}
}

// Of an imported package the functions count that are used, and not its others or those of
// the same name in another package.
func TestImports(t *testing.T) {
	was := parse(t, before, imported)
	row := was.Row("table", "c")
	for what, from := range map[string]string{
		"func help() {}": "func help() { panic(1) }", "type Q struct{}": "type Q struct{ n int }",
	} {
		if parse(t, before, strings.Replace(imported, what, from, 1)).Row("table", "c") == row {
			t.Errorf("%q does not count", what)
		}
	}
	if parse(t, before, strings.Replace(imported, "beside() {}", "beside() { panic(1) }", 1)).Row("table", "c") != row {
		t.Error("a function counts that is not used")
	}
	if parse(t, strings.Replace(before, "return 3", "return 4", 1), imported).Row("table", "c") != row {
		t.Error("a function counts that has the name of another package's")
	}

	if used := was.Functions("f"); !strings.Contains(used, "Size") || strings.Contains(used, "Make") {
		t.Errorf("f uses %s", used)
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
