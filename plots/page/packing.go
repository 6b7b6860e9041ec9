package page

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"fmt"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"
)

// A book has the texts of all marks of the page, each once: many figures show the same trials.
type book struct {
	numbers map[string]int
	texts   strings.Builder // A line each.
}

// number is the number of a text.
func (b *book) number(text string) int {
	n, known := b.numbers[text]
	if !known {
		if b.numbers == nil {
			b.numbers = map[string]int{}
		}
		n = len(b.numbers)
		b.numbers[text] = n
		b.texts.WriteString(strings.Map(oneLine, term.Visible(text)) + "\n")
	}
	return n
}

// tips packs the tips of a picture, a line each: left, top and the number of the text.
func (b *book) tips(tips []canvas.Tip) string {
	if len(tips) == 0 {
		return ""
	}
	var lines strings.Builder
	for _, t := range tips {
		fmt.Fprintf(&lines, "%d %d %d\n", t.X, t.Y, b.number(t.Text))
	}
	return packed(lines.String())
}

func oneLine(r rune) rune {
	if r = canvas.Printable(r); r == '\n' {
		return ' '
	}
	return r
}

// packed compresses text, in base64. The page unpacks it when it is needed.
func packed(text string) string {
	var b bytes.Buffer
	z, _ := gzip.NewWriterLevel(&b, gzip.BestCompression) // a level that there is
	z.Write([]byte(text))                                 // to memory, which does not fail
	z.Close()
	return base64.StdEncoding.EncodeToString(b.Bytes())
}
