package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"spmvtune/analysis"
	"spmvtune/internal/base/lists"
	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"
	"spmvtune/plots/figure"
	"spmvtune/plots/page"
	"spmvtune/store"
)

// How willingly the server and what draws give way to others, as nice counts.
const (
	ServingNice = 10
	DrawingNice = 19
)

// GiveWay makes all of this process give way to others.
func GiveWay(nice int) {
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

const drawTime = 10 * time.Minute // for the figures of a million trials

// DrawElsewhere draws with a process of its own, which is the program with these arguments and the
// path of the database: it writes a Drawing as JSON.
func DrawElsewhere(program string, args ...string) func(context.Context, string) (*Drawing, error) {
	return func(ctx context.Context, database string) (*Drawing, error) {
		ctx, cancel := context.WithTimeout(ctx, drawTime)
		defer cancel()
		cmd := exec.CommandContext(ctx, program, append(args, database)...)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		cmd.WaitDelay = time.Second
		out, err := cmd.Output()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok && len(exit.Stderr) > 0 {
			said, _, _ := strings.Cut(string(exit.Stderr), "\n")
			err = errors.New(strings.TrimPrefix(said, "error: "))
		}
		var d Drawing
		if err == nil {
			err = json.Unmarshal(out, &d)
		}
		if err != nil {
			return nil, fmt.Errorf("drawing: %w", err)
		}
		return &d, nil
	}
}

// A Drawing is the figures that the data of a moment allow.
type Drawing struct {
	Figures []Figure `json:"figures"`
}

// A Figure is a figure of the report.
type Figure struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	See      string    `json:"see"` // what to look for
	Pictures []Picture `json:"pictures"`
}

// A Picture is SVG with its style sheet, whose names hold in it alone.
type Picture struct {
	Title  string `json:"title"`
	Alt    string `json:"alt"`
	Digest string `json:"digest"` // of both of these
	SVG    string `json:"svg,omitempty"`
	CSS    string `json:"css,omitempty"`
}

// shared are the rules that all pictures need.
const shared = `:host{display:block;overflow-x:auto}svg{display:block;width:100%;min-width:32rem;height:auto;` +
	`font-family:"Liberation Sans",Arimo,Arial,Helvetica,sans-serif}path{fill:none}.pixels{image-rendering:pixelated}`

// Draw draws the figures of a database, without the pictures of single matrices, which the report
// has, and without the rule, which takes long to work out.
func Draw(ctx context.Context, path string) (d *Drawing, err error) {
	db, err := store.OpenCurrent(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	r, err := analysis.Read(ctx, db)
	if err != nil {
		return nil, err
	}
	d = &Drawing{Figures: []Figure{}}
	for i := range figure.All {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if figure.All[i].Only == "named" {
			continue
		}
		drawn, _ := figure.All[i].Draw(r)
		shown := lists.Where(drawn.Pictures, func(p *canvas.Picture) bool { return !p.Detail })
		f := Figure{ID: drawn.ID, Title: term.Visible(drawn.Title), See: term.Visible(drawn.See),
			Pictures: lists.Of(shown, picture)}
		if len(f.Pictures) > 0 {
			d.Figures = append(d.Figures, f)
		}
	}
	return d, nil
}

// picture draws a picture with a style sheet of its own. A page keeps each in a tree of its own, so
// that one picture can be drawn anew while the others stay.
func picture(p *canvas.Picture) Picture {
	var styles canvas.WebStyles
	svg, _ := p.Web(&styles)
	out := Picture{Title: term.Visible(p.Title), Alt: term.Visible(p.Alt),
		SVG: strings.Replace(term.Visible(svg), "<svg ", `<svg xmlns="http://www.w3.org/2000/svg" `, 1),
		CSS: shared + strings.ReplaceAll(styles.Rules.String(), ":root{", ":host{")}
	sum := sha256.Sum256([]byte(out.SVG + out.CSS))
	out.Digest = hex.EncodeToString(sum[:16])
	return out
}

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
