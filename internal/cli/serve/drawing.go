// SPDX-License-Identifier: Apache-2.0

package serve

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/plots/canvas"
	"example.org/spmvtune/plots/figure"
	"example.org/spmvtune/plots/page"
	"example.org/spmvtune/store"
)

// GiveWay makes all of this process give way to others: a sweep may measure on the same processor.
func GiveWay() {
	const nice = 10
	runtime.GOMAXPROCS(1)
	// Linux keeps it by thread, and new threads take it from the one that starts them. It is no harm
	// if it fails.
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, nice)
		return
	}
	for _, t := range tasks {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, nice)
		}
	}
}

// A Picture is SVG with its style sheet, whose names hold in it alone.
type Picture struct {
	Alt string `json:"alt"`
	SVG string `json:"svg"`
	CSS string `json:"css"`
}

// shared are the rules that all pictures need.
const shared = `:host{display:block;overflow-x:auto}svg{display:block;width:100%;min-width:32rem;height:auto;` +
	`font-family:"Liberation Sans",Arimo,Arial,Helvetica,sans-serif}path{fill:none}.pixels{image-rendering:pixelated}`

// Draw draws the winner map of a database. The other figures are in the report, at the end.
func Draw(ctx context.Context, path string) (list []Picture, err error) {
	db, err := store.OpenCurrent(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	r, err := analysis.Read(ctx, db)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(figure.All, func(f figure.Figure) bool { return f.ID == "winner-map" })
	drawn, _ := figure.All[at].Draw(r)
	return lists.Of(drawn.Pictures, picture), nil
}

// picture draws a picture with a style sheet of its own. A page keeps each in a tree of its own.
func picture(p *canvas.Picture) Picture {
	var styles canvas.WebStyles
	svg, _ := p.Web(&styles)
	return Picture{Alt: term.Visible(p.Title + ": " + p.Alt),
		SVG: strings.Replace(term.Visible(svg), "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" `, 1),
		CSS: shared + strings.ReplaceAll(styles.Rules.String(), ":root{", ":host{")}
}

// A gallery has the pictures that were drawn last, and draws them again when data have changed, a
// page is open and the last time is long enough ago.
type gallery struct {
	watched *watcher
	draw    func(ctx context.Context, database string) ([]Picture, error)
	end     context.CancelFunc
	ctx     context.Context
	work    sync.WaitGroup

	mu      sync.Mutex
	drawn   []Picture
	number  int  // of the drawing
	of      mark // what was drawn
	working bool
	failed  string
	pace    pace
}

func newGallery(w *watcher, draw func(context.Context, string) ([]Picture, error)) *gallery {
	g := &gallery{watched: w, draw: draw, drawn: []Picture{}}
	g.ctx, g.end = context.WithCancel(context.Background())
	return g
}

// A drawing takes at most this share of a processor while a run measures, and there is a rest of a
// few seconds in any case.
const (
	drawShare = 50
	drawRest  = 10 * time.Second
)

// wanted says that a page is open. It begins to draw where there is something new and it is time,
// and returns what changes with the pictures, and why there are none, "" if there are.
func (g *gallery) wanted(running bool) (version, none string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	version = strconv.Itoa(g.number)
	if g.working {
		return version, "drawing"
	}
	least, share := time.Duration(0), time.Duration(1)
	if running {
		least, share = drawRest, drawShare
	}
	now := markOf(g.watched.path)
	if now == g.of || g.ctx.Err() != nil || !g.pace.ready(least, share) {
		return version, g.failed
	}
	g.working = true
	g.work.Go(func() { g.redraw(now) })
	return version, "drawing"
}

// redraw draws the pictures of the data at a mark.
func (g *gallery) redraw(of mark) {
	began := time.Now()
	drawn, err := g.draw(g.ctx, g.watched.path)
	debug.FreeOSMemory() // the data of a million trials are large
	g.mu.Lock()
	defer g.mu.Unlock()
	g.working, g.failed, g.of = false, "", of
	g.pace.worked(began)
	if err != nil {
		g.failed = "no new figures: " + term.Visible(err.Error())
		return
	}
	g.number++
	g.drawn = drawn
}

// winners answers with the winner map, a picture for each precision and state of the caches.
func (s *Server) winners(w http.ResponseWriter, r *http.Request) {
	s.figures.mu.Lock()
	drawn := s.figures.drawn
	s.figures.mu.Unlock()
	answer(w, r, drawn)
}

// colours answers with the colours of the report.
func colours(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/css; charset=utf-8")
	_, _ = io.WriteString(w, page.Colours) // a page that has gone
}
