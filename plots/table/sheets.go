package table

import "spmvtune/plots/data"

// Sheets are the sheets of a report. Those of a paper's experiment are left out if they have
// no tables, because most databases do not hold them.
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
