package figure

import (
	"fmt"
	"slices"

	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/store"
)

// A Drawn figure has its pictures.
type Drawn struct {
	*Figure
	Pictures []*canvas.Picture
	Omitted  int // pictures of single matrices that were not made, because of their number
}

// Draw makes the pictures that the data allows, each with a note on the twins among its
// matrices. The errors are warnings.
func (f *Figure) Draw(d *data.Report) (Drawn, []error) {
	pictures, warnings := f.draw(d)
	out := Drawn{Figure: f}
	details := 0
	for _, p := range pictures {
		if p.Detail {
			if details++; details > MostDetails {
				out.Omitted++
				continue
			}
		}
		p.Caption(twinNote(d, p))
		out.Pictures = append(out.Pictures, p)
	}
	return out, warnings
}

// MostDetails is how many pictures of single matrices a figure has: a corpus of hundreds
// would take the report minutes, for pictures that nobody looks through. A report on
// some of the matrices has theirs.
const MostDetails = 48

// twinNote names the twins among the matrices on a picture.
func twinNote(d *data.Report, p *canvas.Picture) string {
	if p.Matrices == nil {
		return data.Twins(d.Matrices)
	}
	var own []store.Matrix
	for _, m := range d.Matrices {
		if slices.Contains(p.Matrices, m.Name) {
			own = append(own, m)
		}
	}
	return data.Twins(own)
}

// Choose returns the figures with these ids in the registry's order; all without any.
func Choose(ids []string) ([]*Figure, error) {
	for _, id := range ids {
		if !slices.ContainsFunc(Figures, func(f Figure) bool { return f.ID == id }) {
			return nil, fmt.Errorf("unknown figure %q; available: %s", id, figureIDs())
		}
	}
	var chosen []*Figure
	for i := range Figures {
		if len(ids) == 0 || slices.Contains(ids, Figures[i].ID) {
			chosen = append(chosen, &Figures[i])
		}
	}
	return chosen, nil
}

// NeedSearches reports whether one of these figures, or all without any, shows replays of
// searches.
func NeedSearches(ids []string) bool { return len(ids) == 0 || slices.Contains(ids, convergenceID) }
