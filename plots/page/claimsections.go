package page

import (
	"fmt"
	"math"

	"spmvtune/analysis"
	"spmvtune/analysis/claims"
	"spmvtune/internal/base/term"
	"spmvtune/plots/table"
)

// htmlClaims are the claims on one device.
type htmlClaims struct {
	ID, Title, Count string
	Judged, Open     []htmlClaim // Those with a verdict, and those without.
}

type htmlClaim struct {
	Number                       int
	Verdict, Class, Text, Source string
	Open                         string // Why there is no verdict.
	Parts                        []htmlFinding
}

type htmlFinding struct {
	Verdict, Class, Says, Found, Rule, Published string
	Caveats                                      []string
	Cases                                        htmlTable
	Cut                                          int // The number of cases that are left out.
}

// mostCases is the number of cases of a statement that the page lists.
const mostCases = 60

func claimSections(d *analysis.Data) []htmlClaims {
	var list []htmlClaims
	for n, judged := range d.ClaimsByDevice() {
		h := htmlClaims{ID: fmt.Sprintf("claims-%d", n+1), Title: d.DeviceWords(judged[0].Device)}
		count := map[claims.Verdict]int{}
		for i := range judged {
			j := &judged[i]
			count[j.Verdict]++
			c := htmlClaim{Number: j.Number, Verdict: string(j.Verdict), Class: badge(j.Verdict), Text: j.Text,
				Source: j.Paper + ", " + j.Section}
			if j.Verdict == claims.Unknown {
				c.Open = table.Sentence(j.Lacks())
			}
			for k := range j.Parts {
				if f := &j.Parts[k]; len(f.Cases) > 0 {
					c.Parts = append(c.Parts, findingSection(fmt.Sprintf("%s-%d-%d", h.ID, j.Number, k+1), f))
				}
			}
			if j.Verdict == claims.Unknown {
				h.Open = append(h.Open, c)
			} else {
				h.Judged = append(h.Judged, c)
			}
		}
		h.Count = fmt.Sprintf("Of %d claims: holds %d, does not hold %d, not enough data %d.",
			len(judged), count[claims.Holds], count[claims.Fails], count[claims.Unknown])
		list = append(list, h)
	}

	return list
}

// badge is the class of a verdict in the style sheet.
func badge(v claims.Verdict) string {
	switch v {
	case claims.Holds:
		return "holds"
	case claims.Fails:
		return "fails"
	}
	return "open"
}

func findingSection(id string, f *claims.Finding) htmlFinding {
	h := htmlFinding{Verdict: string(f.Verdict), Class: badge(f.Verdict), Says: table.Sentence(f.Says),
		Found: f.Words(), Rule: f.Rule,
		Published: f.PublishedWords(), Caveats: f.Caveats()}
	t := table.Table{Title: "Cases", Columns: table.Columns(
		"matrix", "precision", "cache", "of", ">figure", ">published", "stands",
	)}
	for i := range f.Cases {
		if i == mostCases {
			h.Cut = len(f.Cases) - mostCases
			break
		}
		c := &f.Cases[i]
		known := table.Cell{Text: term.Missing, Key: math.NaN()}
		if c.Published != nil {
			known = table.Cell{Text: term.Significant(*c.Published, 3), Key: *c.Published}
		}
		t.Rows = append(t.Rows, []table.Cell{table.Text(c.Name()), table.Text(c.Precision), table.Text(c.Cache),
			table.Text(c.Note),
			{Text: claims.Figure(c.Value, c.Low, c.High), Key: c.Value}, known, table.Text(c.Position.Words())})
	}

	h.Cases = htmlTableOf(t, id)
	return h
}
