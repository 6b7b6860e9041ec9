package serve

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"sync"
	"time"

	"spmvtune/internal/base/term"
	"spmvtune/plots/page"
)

// A gallery has the pictures that were drawn last, and draws them again when data have changed, a
// page is open and the last time is long enough ago.
type gallery struct {
	watched *watcher
	draw    func(ctx context.Context, database string) (*Drawing, error)
	end     context.CancelFunc
	ctx     context.Context
	work    sync.WaitGroup

	mu       sync.Mutex
	drawn    *Drawing
	pictures map[string]Picture // by digest
	number   int                // of the drawing
	of       mark               // what was drawn
	working  bool
	failed   string
	pace     pace
}

func newGallery(w *watcher, draw func(context.Context, string) (*Drawing, error)) *gallery {
	g := &gallery{watched: w, draw: draw, drawn: &Drawing{Figures: []Figure{}}}
	g.ctx, g.end = context.WithCancel(context.Background())
	return g
}

// close ends what is being drawn.
func (g *gallery) close() {
	g.end()
	g.work.Wait()
}

// version changes with the pictures.
func (g *gallery) version() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return strconv.Itoa(g.number)
}

// A drawing takes at most this share of a processor while a run measures, and there is a rest of a
// few seconds in any case.
const (
	drawShare = 50
	drawRest  = 10 * time.Second
)

// wanted says that a page is open. It begins to draw where there is something new and it is time,
// and returns why there are no pictures, "" if there are.
func (g *gallery) wanted(running bool) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.working {
		return "drawing"
	}
	least, share := time.Duration(0), time.Duration(1)
	if running {
		least, share = drawRest, drawShare
	}
	now := markOf(g.watched.path)
	if now == g.of || g.ctx.Err() != nil || !g.pace.ready(least, share) {
		return g.failed
	}
	g.working = true
	g.work.Go(func() { g.redraw(now) })
	return "drawing"
}

// redraw draws the pictures of the data at a mark.
func (g *gallery) redraw(of mark) {
	began := time.Now()
	drawn, err := g.draw(g.ctx, g.watched.path)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.working, g.failed, g.of = false, "", of
	g.pace.worked(began)
	if err != nil {
		g.failed = "no new figures: " + term.Visible(err.Error())
		return
	}
	g.number++
	g.pictures = map[string]Picture{}
	for i := range drawn.Figures {
		for k := range drawn.Figures[i].Pictures {
			p := &drawn.Figures[i].Pictures[k]
			g.pictures[p.Digest] = *p
			p.SVG, p.CSS = "", "" // which the list does not have
		}
	}
	g.drawn = drawn
}

// list answers which figures there are.
func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	s.figures.mu.Lock()
	drawn := s.figures.drawn
	s.figures.mu.Unlock()
	answer(w, r, drawn)
}

// picture answers with a picture, named by its digest.
func (s *Server) picture(w http.ResponseWriter, r *http.Request) {
	s.figures.mu.Lock()
	p, known := s.figures.pictures[r.PathValue("digest")]
	s.figures.mu.Unlock()
	if !known {
		http.NotFound(w, r)
		return
	}
	answer(w, r, p)
}

// colours answers with the colours of the report.
func colours(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = io.WriteString(w, page.Colours) // a page that has gone
}
