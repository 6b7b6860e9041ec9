package foreign

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// A node is a value of a JSON text, with the line that it begins in.
type node struct {
	line    int
	scalar  any // string, json.Number, bool or nil
	names   []string
	fields  map[string]*node // of an object
	items   []*node          // of an array
	numbers []float64        // of an array with numbers alone, which has no items
}

// deepest is how many values may lie in each other.
const deepest = 50

// mostValues is how many values there may be, which take some 600 bytes each at most, and mostNumbers how many numbers
// in arrays. Tests change them.
var mostValues, mostNumbers = 2_000_000, 10_000_000

// parseTree reads a JSON text.
func parseTree(text []byte) (*node, error) {
	p := &treeParser{text: text, line: 1, dec: json.NewDecoder(bytes.NewReader(text))}
	p.dec.UseNumber()
	root, err := p.value(0)
	if err == nil {
		if _, more := p.token(); !errors.Is(more, io.EOF) {
			err = errors.New("there is more text after the value")
		}
	}
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return nil, p.at(err)
	}
	return root, nil
}

type treeParser struct {
	text   []byte
	dec    *json.Decoder
	seen   int64 // how far lines are counted
	line   int
	values int
	// numbers are those of arrays.
	numbers int
}

// at is an error with its line.
func (p *treeParser) at(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && syntax.Offset > p.seen {
		p.line += bytes.Count(p.text[p.seen:min(syntax.Offset, int64(len(p.text)))], []byte("\n"))
	}
	return fmt.Errorf("%d: %w", p.line, err)
}

func (p *treeParser) token() (json.Token, error) {
	token, err := p.dec.Token()
	if end := p.dec.InputOffset(); err == nil {
		p.line += bytes.Count(p.text[p.seen:end], []byte("\n"))
		p.seen = end
	}
	return token, err
}

func (p *treeParser) value(depth int) (*node, error) {
	if depth > deepest {
		return nil, fmt.Errorf("more than %d values lie in each other", deepest)
	}
	if p.values++; p.values > mostValues {
		return nil, fmt.Errorf("more than %d values: import the file in pieces", mostValues)
	}
	token, err := p.token()
	if err != nil {
		return nil, err
	}
	n := &node{line: p.line}
	switch token {
	case json.Delim('{'):
		n.fields = map[string]*node{}
		for p.dec.More() {
			name, err := p.token()
			if err != nil {
				return nil, err
			}
			key, _ := name.(string)
			if _, twice := n.fields[key]; twice {
				return nil, fmt.Errorf("%q occurs twice in one object: leave one out", key)
			}
			field, err := p.value(depth + 1)
			if err != nil {
				return nil, err
			}
			n.names = append(n.names, key)
			n.fields[key] = field
		}
		_, err = p.token()
	case json.Delim('['):
		err = p.array(n, depth)
	default:
		n.scalar = token
	}
	return n, err
}

// array reads the items of an array, and its end.
func (p *treeParser) array(n *node, depth int) error {
	begin := p.dec.InputOffset()
	end := begin // of the numbers before anything else
	for p.dec.More() {
		item, err := p.value(depth + 1)
		if err != nil {
			return err
		}
		x, err := strconv.ParseFloat(item.text(), 64)
		if item.number() && err == nil && len(n.items) == 0 {
			n.numbers, end = append(n.numbers, x), p.dec.InputOffset()
			p.values--
			if p.numbers++; p.numbers > mostNumbers {
				return fmt.Errorf("more than %d numbers in lists: import the file in pieces", mostNumbers)
			}
			continue
		}
		if n.numbers != nil {
			for number := range bytes.SplitSeq(p.text[begin:end], []byte(",")) {
				n.items = append(n.items, &node{line: n.line, scalar: json.Number(bytes.TrimSpace(number))})
				p.values++
			}
		}
		n.numbers, n.items = nil, append(n.items, item)
	}
	_, err := p.token()
	return err
}

// get follows the names of fields. It gives nil where there is none.
func (n *node) get(path ...string) *node {
	for _, name := range path {
		if n == nil {
			return nil
		}
		n = n.fields[name]
	}
	return n
}

// list are the items of an array.
func (n *node) list() []*node {
	if n == nil {
		return nil
	}
	return n.items
}

// floats are the numbers of an array, also among other items.
func (n *node) floats() (numbers []float64) {
	if n != nil && n.numbers != nil {
		return n.numbers
	}
	for _, item := range n.list() {
		if x, err := strconv.ParseFloat(item.text(), 64); item.number() && err == nil {
			numbers = append(numbers, x)
		}
	}
	return numbers
}

// text is a scalar as text, "" if there is none.
func (n *node) text() string {
	if n == nil || n.scalar == nil {
		return ""
	}
	return fmt.Sprint(n.scalar)
}

// number reports whether a value is a number.
func (n *node) number() bool {
	if n == nil {
		return false
	}
	_, ok := n.scalar.(json.Number)
	return ok
}
