// SPDX-License-Identifier: Apache-2.0

package configs

import (
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

// A position is where a value stands in a TOML text. Positions form a tree of the same shape as
// the decoded document.
//
// Note: toml.MetaData knows no lines, and names the keys of all [[kernel]] tables alike, so
// that a mistake in the second could not be told from one in the first. To find the keys of a text
// that its parser accepts, it is enough to know where strings and comments end.
type position struct {
	line  int                  // from 1: of the key or the header; in an array, of the element
	keys  map[string]*position // of a table
	items []*position          // of an array or an array of tables
}

// key returns the position of a key of p, or p itself if there is none: a mistake is at worst
// reported at its table.
func (p *position) key(name string) *position {
	if k := p.keys[name]; k != nil {
		return k
	}
	return p
}

// item returns the position of element i of p.
func (p *position) item(i int) *position {
	if i < len(p.items) {
		return p.items[i]
	}
	return p
}

// entry returns the position of a key of p, which it makes if there is none.
func (p *position) entry(name string, line int) *position {
	if p.keys == nil {
		p.keys = map[string]*position{}
	}
	if p.keys[name] == nil {
		p.keys[name] = &position{line: line}
	}
	return p.keys[name]
}

// follow returns the position that a header or a dotted key leads to: the last element where it is an array
// of tables.
func (p *position) follow(path []string, line int) *position {
	for _, name := range path {
		p = p.entry(name, line)
		if n := len(p.items); n > 0 {
			p = p.items[n-1]
		}
	}
	return p
}

// deepest is how many keys and brackets lead to a value at most. The TOML parser takes memory by the square
// of that.
const deepest = 50

// locate finds the positions of all keys and array elements of a text, and the line of the first that is
// nested too deep, where it stops, or 0.
func locate(text string) (root *position, deep int) {
	s := &scanner{text: strings.TrimPrefix(text, "\ufeff"), line: 1}
	root = &position{line: 1}
	table := root
	for s.next(); s.token != ""; {
		if s.token == "[" {
			table = s.header(root)
		} else {
			s.pair(table)
		}
	}
	return root, s.deep
}

// tokens matches blanks and comments, and the token that follows: a string of any of the four kinds, a sign, or a
// word, as a key with its dots, a number or a date.
var tokens = regexp.MustCompile(`^((?:\s|#.*)*)(` +
	`"""(?s:\\.|.)*?(?:"{3,5}|\z)|'''(?s:.)*?(?:'{3,5}|\z)|"(?:\\.|[^"\\\n])*"?|'[^'\n]*'?|` +
	`[\[\]{},=]|\d{4}-\d\d-\d\d \d[\d:.]*|[^\s\[\]{},=#"']+|.|$)`)

// A scanner walks over the tokens of a TOML text.
type scanner struct {
	text  string // behind the token
	token string // at hand, "" at the end
	line  int    // of the token

	depth int // of the value at hand, in brackets
	deep  int // line of what is nested too deep, or 0
}

// next goes to the next token.
func (s *scanner) next() {
	m := tokens.FindStringSubmatch(s.text)
	s.line += strings.Count(s.token, "\n") + strings.Count(m[1], "\n")
	s.token, s.text = m[2], s.text[len(m[0]):]
}

// is reports whether the token begins with one of some signs.
func (s *scanner) is(signs string) bool {
	return s.token != "" && strings.ContainsAny(s.token[:1], signs)
}

// tooDeep stops the scanner where so many keys or brackets are too many.
func (s *scanner) tooDeep(n int) bool {
	if n <= deepest {
		return false
	}
	if s.deep == 0 {
		s.deep = s.line
	}
	s.token, s.text = "", ""
	return true
}

// header reads [a.b] or [[a.b]] and returns the table that it opens.
func (s *scanner) header(root *position) *position {
	line := s.line
	s.next()
	array := s.token == "["
	if array {
		s.next()
	}
	path := s.path()
	for s.token == "]" {
		s.next()
	}
	if len(path) == 0 {
		return root
	}

	if !array {
		t := root.follow(path, line)
		t.line = line // of the header, if a longer one led through it before
		return t
	}
	last := len(path) - 1
	all := root.follow(path[:last], line).entry(path[last], line)
	item := &position{line: line}
	all.items = append(all.items, item)
	return item
}

// pair reads key = value into table.
func (s *scanner) pair(table *position) {
	line := s.line
	path := s.path()
	if s.token != "=" || len(path) == 0 {
		s.next() // not TOML; go on, so that every text has an end
		return
	}
	s.next()
	*table.follow(path, line) = *s.value()
}

// path reads a dotted key, of which each part may be quoted.
func (s *scanner) path() []string {
	var path []string
	for before := "."; s.token != "" && !s.is("[]{},="); s.next() {
		if !strings.HasSuffix(before, ".") && !strings.HasPrefix(s.token, ".") {
			break
		}
		if s.is(`"'`) {
			path = append(path, unquote(s.token))
		} else {
			path = append(path, strings.FieldsFunc(s.token, func(r rune) bool { return r == '.' })...)
		}
		if s.tooDeep(len(path)) {
			break
		}
		before = s.token
	}
	return path
}

// value reads a value and returns its position, with those inside it.
func (s *scanner) value() *position {
	p := &position{line: s.line}
	s.depth++
	defer func() { s.depth-- }()
	if s.tooDeep(s.depth) {
		return p
	}
	open := s.token
	s.next()
	switch open {
	case "[":
		for s.more("]") {
			p.items = append(p.items, s.value())
		}
	case "{":
		for s.more("}") {
			s.pair(p)
		}
	}
	return p
}

// more goes to the next element and reports whether there is one before end.
func (s *scanner) more(end string) bool {
	for s.token == "," {
		s.next()
	}
	if s.token == end {
		s.next()
		return false
	}
	return s.token != ""
}

// unquote returns a quoted key without its quotes and escapes.
func unquote(quoted string) string {
	var doc struct{ K string }
	if _, err := toml.Decode("K = "+quoted, &doc); err != nil {
		return quoted
	}
	return doc.K
}
