package snap

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"

	"spmvtune/sparse/internal/text"
)

// A header has the facts known before the first edge.
type header struct {
	comment  string
	weighted bool
	nodes    int // as a comment has it; −1 if none has
	edges    int
	line     int // of that comment
}

// mostComment bounds the comments that are kept, in bytes.
const mostComment = 64 << 10

var countsPattern = regexp.MustCompile(`(?i)\bnodes:?\s*(\d+)[\s,;]+edges:?\s*(\d+)`)

// starts reports whether a text starts as files of the collection do: with a comment
// that counts vertices and edges, or names the columns.
func starts(start []byte) bool {
	return bytes.HasPrefix(start, []byte("#")) && (countsPattern.Match(start) ||
		bytes.Contains(start, []byte("FromNodeId")))
}

// readHeader reads the comments before the first edge, and inspects that edge.
func readHeader(s *text.Source) (*header, error) {
	h := &header{nodes: -1, edges: -1}
	var comment strings.Builder
	for {
		line, err := s.PeekLine()
		if errors.Is(err, io.EOF) && s.Line == 1 {
			return nil, s.Errorf(1, "the file is empty")
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, err
		}

		words := bytes.Fields(line)
		if err != nil || len(words) > 0 && words[0][0] != '#' {
			h.comment = strings.TrimSuffix(comment.String(), "\n")
			h.weighted = len(words) == 3
			return h, nil
		}

		if len(words) > 0 {
			note := bytes.TrimSpace(line)[1:]
			if comment.Len()+len(note) <= mostComment {
				comment.Write(note)
				comment.WriteByte('\n')
			}

			if counts := countsPattern.FindSubmatch(note); counts != nil && h.nodes < 0 {
				nodes, err := strconv.Atoi(string(counts[1]))
				edges, err2 := strconv.Atoi(string(counts[2]))
				if err == nil && err2 == nil {
					h.nodes, h.edges, h.line = nodes, edges, s.Line
				}
			}
		}
		s.NextLine()
	}
}
