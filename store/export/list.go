package export

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
)

// A list writes the elements of a JSON array, or the members of an object, each on a line, as they come.
type list struct {
	w    *bufio.Writer
	end  string
	some bool
}

// newList begins a list. start and end stand around it.
func newList(w io.Writer, start, end string) (*list, error) {
	l := &list{w: bufio.NewWriter(w), end: end}
	_, err := l.w.WriteString(start)
	return l, err
}

// add writes an element.
func (l *list) add(v any) error { return l.member("", v) }

// member writes a member of an object, or an element where it has no key.
func (l *list) member(key string, v any) error {
	text, err := jsonText(v)
	if err != nil {
		return err
	}
	if l.some {
		l.w.WriteByte(',')
	}
	l.some = true
	l.w.WriteByte('\n')
	if key != "" {
		name, err := jsonText(key)
		if err != nil {
			return err
		}
		l.w.Write(name)
		l.w.WriteString(": ")
	}
	_, err = l.w.Write(text)
	return err
}

// close ends the list.
func (l *list) close() error {
	l.w.WriteString(l.end)
	return l.w.Flush()
}

// jsonText is JSON on one line, without escapes for HTML.
func jsonText(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSpace(b.Bytes()), err
}
