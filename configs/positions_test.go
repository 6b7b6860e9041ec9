// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"example.org/spmvtune/internal/testing/testkit"
)

// Every file marks what stands where: a comment #@ key… tells which keys (with
// the number of the element, from 0) begin on its line.
func TestPositionsOfNastyFiles(t *testing.T) {
	for _, file := range []string{
		// strings with everything in them that could be taken for something else
		`a = "x # [[b]]" #@ a
b = 'c:\' #@ b
c = """ #@ c
d = 1
[[d]]
\""" " ""
e = 2 """ #
d = ''' #@ d
# "
''''
e = """""" #@ e
f = "\\" #@ f
g = '' #@ g
h = """a""""" #@ h
`,
		// headers, dotted keys, quoted keys
		`[ a . "b.c" ] # [x] #@ a|b.c
"d e" . 'f#' = 1 #@ a|b.c|d e a|b.c|d e|f#
"" = 1 #@ a|b.c|
"\u00e9\"" = 2 #@ a|b.c|é"
[a] #@ a
x = 1 #@ a|x
1.2 = 3 #@ a|1 a|1|2
`,
		// arrays of tables and tables under their last element
		`[[k]] #@ k|0
x = 1 #@ k|0|x
[k.sub] #@ k|0|sub
x = 2 #@ k|0|sub|x
[[k]] #@ k|1
x = 3 #@ k|1|x
[k.sub] #@ k|1|sub
x = 4 #@ k|1|sub|x
[[k.many]] #@ k|1|many|0
[[k.many]] #@ k|1|many|1
y = 5 #@ k|1|many|1|y
`,
		// lists and inline tables over several lines
		`a = [ # ] #@ a
  1, # 2, #@ a|0
  "]", 3, #@ a|1 a|2
  [ #@ a|3
    4, #@ a|3|0
  ],
  { x = 1, y = [ #@ a|4 a|4|x a|4|y
    5 #@ a|4|y|0
  ] },
]
b = { c.d = 1, e = "}" } #@ b b|c b|c|d b|e
c = { #@ c
  d = 1, # } #@ c|d
  e = 2, #@ c|e
}
t = 1979-05-27 07:32:00 #@ t
`,
		"\ufeffa = 1 #@ a\r\n[b] #@ b\r\nc = [\r\n1, #@ b|c|0\r\n2] #@ b|c|1\r\n",
		"a = 1 #@ a", // no line end
	} {
		root := checkShape(t, file)
		for i, line := range strings.Split(file, "\n") {
			_, marks, ok := strings.Cut(strings.TrimSuffix(line, "\r"), "#@ ")
			if !ok {
				continue
			}

			// Keys with a space in them are written with one here too.
			marks = strings.ReplaceAll(marks, "d e", "d\x00e")
			for _, mark := range strings.Split(marks, " ") {
				mark = strings.ReplaceAll(mark, "\x00", " ")
				at := placeOf(root, mark)
				testkit.Check(t, at != nil && at.line == i+1, "%q is at %+v, want line %d of\n%s", mark, at, i+1, file)
			}
		}
	}
}

// placeOf returns the place at a path of keys and element numbers.
func placeOf(p *position, path string) *position {
	for _, part := range strings.Split(path, "|") {
		if p == nil {
			return nil
		}
		if n, err := strconv.Atoi(part); err == nil && n < len(p.items) {
			p = p.items[n]
		} else {
			p = p.keys[part]
		}
	}

	return p
}

// checkShape checks that the places of a text have the shape of the document.
func checkShape(t *testing.T, text string) *position {
	t.Helper()
	vals := map[string]any{}
	testkit.Must(toml.Decode(text, &vals))

	root, _ := locate(text)
	testkit.Equal(t, differ(vals, root, strings.Count(text, "\n")+1), "", "the problem in\n%q", text)
	return root
}

// differ says where a place differs from the value that stands there.
func differ(v any, p *position, lines int) string {
	if p.line < 1 || p.line > lines {
		return fmt.Sprintf(": line %d of %d", p.line, lines)
	}
	var items []any

	switch v := v.(type) {
	case map[string]any:
		if len(v) != len(p.keys) {
			return fmt.Sprintf(": %d keys, places of %d", len(v), len(p.keys))
		}
		for key, e := range v {
			if p.keys[key] == nil {
				return fmt.Sprintf(": no place for %q", key)
			}
			if problem := differ(e, p.keys[key], lines); problem != "" {
				return fmt.Sprintf(".%q%s", key, problem)
			}
		}

		return ""

	case []any:
		items = v
	case []map[string]any:
		for _, e := range v {
			items = append(items, e)
		}
	}

	if len(items) != len(p.items) {
		return fmt.Sprintf(": %d elements, places of %d", len(items), len(p.items))
	}
	for i, e := range items {
		if problem := differ(e, p.items[i], lines); problem != "" {
			return fmt.Sprintf("[%d]%s", i, problem)
		}
	}

	return ""
}

func TestPositionsOfShippedSweeps(t *testing.T) {
	files, err := filepath.Glob("*.toml")
	testkit.Require(t, err == nil && len(files) != 0, "no shipped sweeps: %v", err)
	for _, f := range files {
		text := testkit.Must(os.ReadFile(f))
		checkShape(t, string(text))
	}
}

// What is not TOML never reaches the scanner; it must come to an end all the
// same, since it is not the scanner that decides what TOML is.
func TestLocateEnds(t *testing.T) {
	for _, text := range []string{"[", "[[", "]", "a", "a =", "a = [", "a = [}", "a = {", "a = {]", "{[}]", `a = "`,
		`a = """`, `"`, `'''`, "=", "a.=", "\xff", "a = [,,", "[a]]"} {
		locate(text)
	}
}

// What is nested deep is refused with its line before the TOML parser takes gigabytes for it.
func TestDeep(t *testing.T) {
	for _, deep := range []string{strings.Repeat("a.", 20_000) + "a = 1", "[" + strings.Repeat("a.", 20_000) + "a]",
		"a = " + strings.Repeat("{a = ", 100_000) + "1" + strings.Repeat("}", 100_000),
		"a = " + strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000)} {
		_, err := Parse("f", []byte("# ["+strings.Repeat("a.", 99)+"a]\n"+deep+"\n"))
		testkit.Fails(t, err, "f:2: keys or brackets are nested more than 50 deep", "%.20s…", deep)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(minimal)
	f.Add(example())
	if text, err := os.ReadFile("quickstart.toml"); err == nil {
		f.Add(string(text))
	}

	f.Add("a = { b = [1, { c = \"\"\"\n\"\"\" }] }\n[[x.y]]\n\"q\\\"\" = 'z'\n")
	f.Add("[[kernel]]\nname = [1, \"x\"]\nblock = { pow2 = [1, 9223372036854775807] }\nwhere = \"all([1], # > 0)\"\n")
	f.Add("[[matrix]]\npath = \"[\"\n[[matrix]]\ngenerate = \"rmat\"\nscale = 1e300\n[matrix.seed]\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse("fuzz.toml", []byte(text))
		if err == nil {
			testkit.Check(t, len(s.Matrices) != 0 && len(s.Kernels) != 0 && s.Name != "", "accepted %+v", s)
			for _, space := range s.Kernels {
				testkit.Check(t, len(slices.Collect(space.Expand(1))) != 0, "nothing to run in %+v", space)
			}

			return
		}

		es, ok := err.(Errors)
		testkit.Require(t, ok && len(es) != 0, "got %T %v", err, err)
		lines := strings.Count(text, "\n") + 1

		for i, e := range es {
			if e.Line < 1 || e.Line > lines || i > 0 && e.Line < es[i-1].Line || strings.Contains(e.Error(), "\n") {
				t.Errorf("mistake %d of %d lines: %q", i, lines, e.Error())
			}
		}

		vals := map[string]any{}
		root, deep := locate(text)
		if deep > 0 {
			return
		}
		if _, err := toml.Decode(text, &vals); err == nil {
			testkit.Equal(t, differ(vals, root, lines), "", "the problem in %q", text)
		}
	})
}
