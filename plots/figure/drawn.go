package figure

import (
	"fmt"
	"slices"
	"strings"

	"spmvtune/plots/canvas"
	"spmvtune/plots/data"
	"spmvtune/store"
)

// A Drawn is a figure with its pictures.
type Drawn struct {
	*Figure
	Pictures []*canvas.Picture
	Words    []Statement // What stands in place of pictures with too little to draw.
	Omitted  int         // The number of pictures of single matrices beyond the limit, which were not made.
}

// A Statement is what is said of a setup.
type Statement struct {
	data.Setup
	Text string
}

// Draw makes the pictures that the data allows. Each has a note on the twins among its
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

	if f.words != nil {
		out.Words = f.words(d)
	}
	return out, warnings
}

// Look says what a reader of a report should look for.
func (f *Figure) Look(d *data.Report) string {
	if f.OnGPU == "" || !slices.ContainsFunc(d.Rows, func(r store.Row) bool { return d.IsGPU(r.Device) }) {
		return f.See
	}
	return f.See + " " + f.OnGPU
}

// Empty reports whether the figure has nothing to say.
func (d *Drawn) Empty() bool { return len(d.Pictures) == 0 && len(d.Words) == 0 }

// MostDetails is the most pictures of single matrices that a figure has. Hundreds would take
// minutes, and nobody would look through them. A report on some of the matrices has theirs.
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

// Choose returns the figures with these ids in the registry's order, and all if there are
// no ids.
func Choose(ids []string) ([]*Figure, error) {
	for _, id := range ids {
		if !slices.Contains(IDs(), id) {
			return nil, fmt.Errorf("unknown figure %q; available: %s", id, strings.Join(IDs(), ", "))
		}
	}

	var chosen []*Figure
	for i := range All {
		if len(ids) == 0 || slices.Contains(ids, All[i].ID) {
			chosen = append(chosen, &All[i])
		}
	}

	return chosen, nil
}

// Lacks says what to do for a figure without data.
func (f *Figure) Lacks(d *data.Report) error {
	if len(d.Panels) == 0 {
		return fmt.Errorf("no data for figure %s: `run %s` produces it", f.ID, f.Sweep)
	}
	return fmt.Errorf("no data for figure %s: %s", f.ID, f.Needs)
}

// fileStem makes the name of a picture: the figure, the device where there are several, and
// the rest.
func fileStem(d *data.Report, figure, device string, rest ...string) string {
	words := []string{figure}
	if d.SeveralDevices() {
		words = append(words, data.ShortDevice(device))
	}
	return canvas.Slug(append(words, rest...)...)
}

// NeedSearches reports whether one of these figures, or all without any, shows replays of
// searches.
func NeedSearches(ids []string) bool { return len(ids) == 0 || slices.Contains(ids, convergenceID) }

// NeedRule reports whether one of these figures shows a learned rule.
func NeedRule(ids []string) bool { return slices.Contains(ids, "selection-regret") }
