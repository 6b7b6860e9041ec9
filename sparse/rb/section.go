package rb

import (
	"bytes"
	"errors"
	"io"

	"spmvtune/internal/base/term"
	"spmvtune/sparse/internal/text"
)

// A section is the lines that hold a given number of numbers in a format.
type section struct {
	format
	what    string // "value"
	plural  string
	numbers int
	first   int // line
}

// A piece is a block of a section: the lines in it, and where they belong.
type piece[T any] struct {
	block []byte
	line  int // of the file, the first one
	from  int // number of the section that it starts with
	to    int // number behind the last one
	got   *T  // what is made of it
}

// room is for how many numbers there are bytes: lines may be too short.
func (p *piece[T]) room(c *section) int { return min(p.to-p.from, len(p.block)/c.width+1) }

// lineOf is the line that number k of the section is in.
func (c *section) lineOf(k int) int { return c.first + k/c.perLine }

// readSection parses a section on all cores. start gives what a core makes of a piece; the
// results come back in the order of the file. The first mistake of the file is reported,
// whoever came across one first.
func readSection[T any](s *text.Source, c *section, start func() func(p *piece[T]) error) ([]*T, error) {
	c.first = s.Line
	var (
		all   []*T
		done  int // numbers
		first text.First
	)
	take := func(buf []byte) ([]byte, *piece[T], error) {
		if done == c.numbers {
			return nil, nil, errComplete
		}
		block, err := s.NextBlock(buf)
		if errors.Is(err, io.EOF) {
			return nil, nil, s.Errorf(s.Line,
				"the file ends after %d of %d %s: it was cut off, or the sizes in line %d are wrong", done, c.numbers,
				c.plural, sizeLine)
		}
		if err != nil {
			return nil, nil, err
		}

		lines, left := bytes.Count(block, []byte("\n")), c.lines(c.numbers-done)
		if lines > left {
			block = cut(s, block, left)
			lines = left
		}

		p := &piece[T]{block: block, line: s.Line, from: done, to: min(done+lines*c.perLine, c.numbers), got: new(T)}
		all = append(all, p.got)
		done = p.to
		s.Line += lines
		return block, p, nil
	}

	end := text.EachBlock(take, func() func([]byte, *piece[T]) bool {
		parse := start()
		return func(_ []byte, p *piece[T]) bool { return first.Note(parse(p)) }
	})
	if err := first.Err(); err != nil {
		return nil, err
	}

	if !errors.Is(end, errComplete) {
		return nil, end
	}
	return all, nil
}

// errComplete says that a section has no more lines.
var errComplete = errors.New("the section is complete")

// cut returns the first lines of block, and the others to s.
func cut(s *text.Source, block []byte, lines int) []byte {
	end := 0
	for range lines {
		end += bytes.IndexByte(block[end:], '\n') + 1
	}
	s.Unread(block[end:])
	return block[:end]
}

// eachField calls f for every number of a piece, with its position in the block.
func eachField[T any](s *text.Source, c *section, p *piece[T], f func(k, lo, hi int) error) error {
	k, block := p.from, p.block
	for at, line := 0, p.line; k < p.to; line++ {
		end := at + bytes.IndexByte(block[at:], '\n')
		next := end + 1
		if end > at && block[end-1] == '\r' {
			end--
		}

		fields := min(c.perLine, p.to-k)
		if end-at < fields*c.width {
			return s.Errorf(line, "the line is too short: %d bytes, and %s in the format %s take %d", end-at,
				term.Count(fields, c.what, c.plural), c.text, fields*c.width)
		}

		for range fields {
			if err := f(k, at, at+c.width); err != nil {
				return err
			}
			at += c.width
			k++
		}

		if rest := bytes.TrimSpace(block[at:end]); len(rest) > 0 {
			return s.Errorf(line, "there is %s behind the %s that the format %s has in this line", text.Quote(rest),
				term.Count(fields, c.what, c.plural), c.text)
		}
		at = next
	}

	return nil
}
