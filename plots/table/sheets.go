package table

import "spmvtune/plots/data"

// Sheets are those of a report. One without tables is left out where it is of a paper's
// experiment, which most databases do not hold.
func Sheets(d *data.Report) []Sheet {
	list := []Sheet{
		{"best-configuration", "", "Best configuration", BestNotes(d), BestTables(d)},
		{"summary", "", "Summary", summaryNotes(d), SummaryTables(d)},
		{"claims", "", "Claims of the papers", ClaimNotes(d), claimTables(d)},
	}
	if d.Against != nil {
		changes, notes := AgainstTable(d.Against, d.Base)
		list = append(list, Sheet{"against", "", "Against " + d.Base, notes, []Table{changes}})
	}

	for _, s := range PaperSheets(d) {
		if len(s.Tables) > 0 {
			list = append(list, s)
		}
	}

	return list
}
