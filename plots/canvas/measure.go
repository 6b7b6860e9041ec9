package canvas

import (
	"sync"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"

	"spmvtune/internal/base/term"
)

// measured makes signs in texts visible that would turn their direction, and remembers their sizes: a
// picture is laid out once for each of its formats, and kerning makes measuring slow.
type measured struct {
	text.Handler
	boxes *sync.Map // from written to size
}

type written struct {
	text string
	font font.Font
}

type size struct{ width, height, depth vg.Length }

func (m measured) Box(txt string, f font.Font) (width, height, depth vg.Length) {
	if known, ok := m.boxes.Load(written{txt, f}); ok {
		s := known.(size)
		return s.width, s.height, s.depth
	}
	width, height, depth = m.Handler.Box(term.Visible(txt), f)
	m.boxes.Store(written{txt, f}, size{width, height, depth})
	return width, height, depth
}

func (m measured) Draw(c vg.Canvas, txt string, s text.Style, at vg.Point) {
	m.Handler.Draw(c, term.Visible(txt), s, at)
}

var handler = measured{plot.DefaultTextHandler, &sync.Map{}}
