package table

import (
	"strings"

	"spmvtune/analysis"
)

// ClaimNotes say how to read the verdicts.
func ClaimNotes(d *analysis.Data) []string {
	notes := []string{"A claim holds on a device if all of its statements hold. A statement is tested on cases: a " +
		"matrix in one precision and cache state, in its fastest measured configuration. A case is undecided if " +
		"its interval reaches across a bound or is not known. A verdict that depends on undecided cases, or on too few, stays " +
		"open: not enough data."}
	if twins := analysis.Twins(d.Matrices); twins != "" {
		notes = append(notes, "A twin stands in for its original. "+twins)
	}
	return notes
}

// claimTables returns two tables for each device: the verdicts and the figures behind them.
func claimTables(d *analysis.Data) []Table {
	var tables []Table
	for _, judged := range d.ClaimsByDevice() {
		device := d.DeviceWords(judged[0].Device)
		verdicts := Table{Title: device, Columns: Columns(">no.", "verdict", "claim", "source")}
		figures := Table{Title: "Figures behind them, " + device, Columns: Columns(
			">no.", "verdict", "figure", "asked for", "measured", "published", "caveat",
		)}
		for i := range judged {
			j := &judged[i]
			verdicts.Rows = append(verdicts.Rows,
				[]Cell{integer(j.Number), Text(string(j.Verdict)), Text(j.Text), Text(j.Paper + ", " + j.Section)})
			for n := range j.Parts {
				if f := &j.Parts[n]; len(f.Cases) > 0 {
					figures.Rows = append(figures.Rows,
						[]Cell{integer(j.Number), Text(string(f.Verdict)), Text(f.Says), Text(f.Rule),
							Text(f.Words()), Text(f.PublishedWords()), Text(strings.Join(f.Caveats(), "; "))})
				}
			}
		}
		tables = append(tables, verdicts)
		if len(figures.Rows) > 0 {
			tables = append(tables, figures)
		}
	}

	return tables
}
