package table

import (
	"math"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
)

// WinnerSheet has the winner map of each setup: the share of the best speed that each kernel has on
// each matrix, in its fastest configuration.
func WinnerSheet(d *analysis.Data) Sheet {
	s := Sheet{Stem: "winners", Title: "Winner map", Notes: []string{"The share of the best speed in percent, each kernel in " +
		"its fastest configuration. Bold: named the best; =: it can't be told from that. Kernels by their geometric mean, " +
		"matrices by row length."}}
	if twins := analysis.Twins(d.Matrices); twins != "" {
		s.Notes = append(s.Notes, twins)
	}
	for _, setup := range d.Setups() {
		if c := d.NewContest(d.In(setup)); len(c.Contenders) > 1 {
			s.Tables = append(s.Tables, winnerTable(d.Words(setup), c))
		}
	}
	return s
}

func winnerTable(title string, c *analysis.Contest) Table {
	t := Table{Title: title, Columns: Columns("matrix")}
	for i := range c.Contenders {
		t.Columns = append(t.Columns, Column{Name: c.Contenders[i].Kernel, Right: true})
	}
	share := func(x float64) Cell { return Cell{term.ShareOfBest(x), x} }

	for i := range c.Places {
		row := []Cell{Text(c.Places[i].Matrix)}
		for k := range c.Contenders {
			e := &c.Contenders[k].Entries[i]
			cell := Cell{term.Missing, math.NaN()}
			if e.Row != nil {
				cell = share(e.Share)
			}
			if e.Named {
				t.embolden(i, k+1)
			} else if e.Tied {
				cell.Text = "= " + cell.Text
			}
			row = append(row, cell)
		}
		t.Rows = append(t.Rows, row)
	}
	mean := []Cell{Text("geometric mean")}
	for i := range c.Contenders {
		mean = append(mean, share(c.Contenders[i].Mean))
	}
	t.Rows = append(t.Rows, mean)
	return t
}
