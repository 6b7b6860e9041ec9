package serve

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"

	"spmvtune/internal/base/term"
	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/plots/figure"
	"spmvtune/store"
)

// A Drawing is the figures that the data of a moment allow.
type Drawing struct {
	Figures []Figure `json:"figures"`
}

// A Figure is a figure of the report.
type Figure struct {
	ID       string    `json:"id"`
	Title    string    `json:"title"`
	See      string    `json:"see"`   // what to look for
	Words    []string  `json:"words"` // what is said in place of a picture
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
// has, and without what takes long to work out: the rule, and searches that are replayed.
func Draw(ctx context.Context, path string) (d *Drawing, err error) {
	db, err := store.OpenCurrent(ctx, path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	r, err := readAll(ctx, db)
	if err != nil {
		return nil, err
	}
	d = &Drawing{Figures: []Figure{}}
	for i := range figure.All {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		drawn, _ := figure.All[i].Draw(r)
		f := Figure{ID: drawn.ID, Title: term.Visible(drawn.Title), See: term.Visible(drawn.Look(r)),
			Pictures: []Picture{}, Words: []string{}}
		for _, w := range drawn.Words {
			f.Words = append(f.Words, term.Visible(w.Text))
		}
		for _, p := range drawn.Pictures {
			if !p.Detail {
				f.Pictures = append(f.Pictures, picture(p))
			}
		}
		if len(f.Pictures)+len(f.Words) > 0 {
			d.Figures = append(d.Figures, f)
		}
	}
	return d, nil
}

// readAll reads what is drawn.
func readAll(ctx context.Context, db *store.DB) (*data.Report, error) {
	rows, err := db.Results(ctx, store.Filter{})
	if err != nil {
		return nil, err
	}
	matrices, err := db.Features(ctx)
	if err != nil {
		return nil, err
	}
	sweeps, err := db.Sweeps(ctx)
	if err != nil {
		return nil, err
	}
	return data.Read(ctx, db, rows, matrices, sweeps)
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
