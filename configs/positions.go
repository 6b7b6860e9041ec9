package configs

import (
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

// child returns the key of p that a header or a dotted key leads through: the
// last element where it is an array of tables.
func (p *position) child(name string, line int) *position {
	if p.keys == nil {
		p.keys = map[string]*position{}
	}
	k := p.keys[name]
	if k == nil {
		k = &position{line: line}
		p.keys[name] = k
	}

	if n := len(k.items); n > 0 {
		return k.items[n-1]
	}
	return k
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
	for s.blank(); !s.end(); s.blank() {
		if s.peek() == '[' {
			table = s.header(root)
			continue
		}
		s.pair(table)
	}

	return root, s.deep
}

// A scanner walks over a TOML text.
type scanner struct {
	text string
	off  int
	line int

	depth int // of the value at hand, in brackets
	deep  int // line of what is nested too deep, or 0
}

// tooDeep stops the scanner where so many keys or brackets are too many.
func (s *scanner) tooDeep(n int) bool {
	if n <= deepest {
		return false
	}
	if s.deep == 0 {
		s.deep = s.line
	}
	s.off = len(s.text)
	return true
}

func (s *scanner) end() bool { return s.off >= len(s.text) }

// peek returns the byte at hand, 0 at the end.
func (s *scanner) peek() byte {
	if s.end() {
		return 0
	}
	return s.text[s.off]
}

// skip goes on by n bytes and counts the lines.
func (s *scanner) skip(n int) {
	n = min(n, len(s.text)-s.off)
	s.line += strings.Count(s.text[s.off:s.off+n], "\n")
	s.off += n
}

// blank skips white space, line ends and comments.
func (s *scanner) blank() {
	for !s.end() {
		switch s.peek() {
		case ' ', '\t', '\r', '\n':
			s.skip(1)
		case '#':
			s.skip(until(s.text[s.off:], "\n"))
		default:
			return
		}
	}
}

// until returns the length of text before the first of the bytes in stop.
func until(text, stop string) int {
	if i := strings.IndexAny(text, stop); i >= 0 {
		return i
	}
	return len(text)
}

// header reads [a.b] or [[a.b]] and returns the table that it opens.
func (s *scanner) header(root *position) *position {
	line := s.line
	array := strings.HasPrefix(s.text[s.off:], "[[")
	s.skip(1)
	if array {
		s.skip(1)
	}

	path := s.path()
	s.skip(until(s.text[s.off:], "#\n")) // the closing brackets
	if len(path) == 0 {
		return root
	}

	last := len(path) - 1
	t := root
	for _, name := range path[:last] {
		t = t.child(name, line)
	}

	if !array {
		t = t.child(path[last], line)
		t.line = line // of the header, if a longer one led through it before
		return t
	}

	t.child(path[last], line)
	all := t.keys[path[last]]
	item := &position{line: line}
	all.items = append(all.items, item)
	return item
}

// pair reads key = value into table.
func (s *scanner) pair(table *position) {
	line := s.line
	path := s.path()
	if s.blank(); s.peek() != '=' || len(path) == 0 {
		s.skip(1) // not TOML; go on, so that every text has an end
		return
	}

	s.skip(1)
	last := len(path) - 1
	for _, name := range path[:last] {
		table = table.child(name, line)
	}

	table.child(path[last], line)
	table.keys[path[last]] = s.value()
}

// path reads a dotted key, of which each part may be quoted.
func (s *scanner) path() []string {
	var path []string
	for {
		s.blank()
		start := s.off
		switch s.peek() {
		case '"', '\'':
			s.str()
			path = append(path, unquote(s.text[start:s.off]))
		default:
			s.skip(until(s.text[s.off:], " \t\r\n.=]#\"'"))
			if s.off == start {
				return path
			}
			path = append(path, s.text[start:s.off])
		}

		if s.blank(); s.peek() != '.' || s.tooDeep(len(path)) {
			return path
		}
		s.skip(1)
	}
}

// value reads a value and returns its position, with those inside it.
func (s *scanner) value() *position {
	s.blank()
	p := &position{line: s.line}
	s.depth++
	defer func() { s.depth-- }()
	if s.tooDeep(s.depth) {
		return p
	}
	switch s.peek() {
	case '"', '\'':
		s.str()
	case '[':
		s.skip(1)
		for s.more(']') {
			p.items = append(p.items, s.value())
		}

	case '{':
		s.skip(1)
		for s.more('}') {
			s.pair(p)
		}
	default: // a number, a date, true or false
		s.skip(until(s.text[s.off:], ",]}#\n"))
	}

	return p
}

// more goes to the next element and reports whether there is one before end.
func (s *scanner) more(end byte) bool {
	for s.blank(); s.peek() == ','; s.blank() {
		s.skip(1)
	}
	if s.peek() == end {
		s.skip(1)
		return false
	}

	if s.peek() == ']' || s.peek() == '}' {
		s.skip(1) // not TOML
	}
	return !s.end()
}

// str skips a string of any of the four kinds.
func (s *scanner) str() {
	quote := s.text[s.off : s.off+1]
	rest := s.text[s.off:]
	if triple := strings.Repeat(quote, 3); strings.HasPrefix(rest, triple) {
		quote = triple
	}

	i := len(quote)
	for i < len(rest) && !strings.HasPrefix(rest[i:], quote) {
		if rest[i] == '\\' && quote[0] == '"' {
			i++
		}
		i++
	}

	i += len(quote)
	// A multi-line string may end in one or two quotes of its own.
	for len(quote) == 3 && i < len(rest) && rest[i] == quote[0] {
		i++
	}
	s.skip(i)
}

// unquote returns a quoted key without its quotes and escapes.
func unquote(quoted string) string {
	var doc struct{ K string }
	if _, err := toml.Decode("K = "+quoted, &doc); err != nil {
		return quoted
	}
	return doc.K
}
