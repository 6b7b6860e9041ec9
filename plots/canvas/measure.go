package canvas

import (
	"sync"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
)

// measured remembers the sizes of texts. A picture is laid out once for each of its formats, and
// kerning makes measuring slow.
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
	width, height, depth = m.Handler.Box(txt, f)
	m.boxes.Store(written{txt, f}, size{width, height, depth})
	return width, height, depth
}

var handler = measured{plot.DefaultTextHandler, &sync.Map{}}
