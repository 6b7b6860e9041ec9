package plots

import (
	"fmt"
	"math"
	"strings"

	"spmvtune/plots/claims"
)

// claimNotes say how to read the verdicts.
func claimNotes(d *data) []string {
	notes := []string{"A claim holds on a device where each of its statements does. A statement is tested on cases: a matrix, in one precision " +
		"and state of the caches, at the fastest of the configurations that were measured. A case whose interval reaches across a bound can't be " +
		"told; a verdict that hangs on such cases, or on too few, is left open: not enough data."}
	if twins := Twins(d.matrices); twins != "" {
		notes = append(notes, "A twin stands in for its original. "+twins)
	}
	return notes
}

// claimTables are two for each device: the verdicts, and the figures behind those that
// have any.
func claimTables(d *data) []table {
	var tables []table
	for _, judged := range d.claimsByDevice() {
		device := d.deviceWords(judged[0].Device)
		verdicts := table{Title: device, Columns: []column{{"no.", true}, {"verdict", false}, {"claim", false}, {"source", false}}}
		figures := table{Title: "Figures behind them, " + device, Columns: []column{
			{"no.", true}, {"verdict", false}, {"figure", false}, {"asked for", false}, {"measured", false}, {"published", false}, {"caveat", false},
		}}
		for i := range judged {
			j := &judged[i]
			verdicts.Rows = append(verdicts.Rows, []cell{integer(j.Number), words(string(j.Verdict)), words(j.Text), words(j.Paper + ", " + j.Section)})
			for n := range j.Parts {
				if f := &j.Parts[n]; len(f.Cases) > 0 {
					figures.Rows = append(figures.Rows, []cell{integer(j.Number), words(string(f.Verdict)), words(f.Says), words(f.Rule),
						words(f.Words()), words(f.PublishedWords()), words(strings.Join(f.Caveats(), "; "))})
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

// claimsByDevice cuts the judgements, which are sorted, by device.
func (d *data) claimsByDevice() [][]claims.Judgement {
	var lists [][]claims.Judgement
	for i, j := range d.claims {
		if i == 0 || j.Device != d.claims[i-1].Device {
			lists = append(lists, nil)
		}
		lists[len(lists)-1] = append(lists[len(lists)-1], j)
	}
	return lists
}

// htmlClaims are the claims on one device.
type htmlClaims struct {
	ID, Title, Count string
	Claims           []htmlClaim
}

type htmlClaim struct {
	Number                       int
	Verdict, Class, Text, Source string
	Open                         string // why there is no verdict
	Parts                        []htmlFinding
}

type htmlFinding struct {
	Verdict, Class, Says, Found, Rule, Published string
	Caveats                                      []string
	Cases                                        htmlTable
	Cut                                          int // cases that are left out
}

// mostCases of a statement are listed in the page.
const mostCases = 60

func claimSections(d *data) []htmlClaims {
	var list []htmlClaims
	for n, judged := range d.claimsByDevice() {
		h := htmlClaims{ID: fmt.Sprintf("claims-%d", n+1), Title: d.deviceWords(judged[0].Device)}
		count := map[claims.Verdict]int{}
		for i := range judged {
			j := &judged[i]
			count[j.Verdict]++
			c := htmlClaim{Number: j.Number, Verdict: string(j.Verdict), Class: badge(j.Verdict), Text: j.Text, Source: j.Paper + ", " + j.Section}
			if j.Verdict == claims.Unknown {
				c.Open = sentence(j.Lacks())
			}
			for k := range j.Parts {
				if f := &j.Parts[k]; len(f.Cases) > 0 {
					c.Parts = append(c.Parts, findingSection(fmt.Sprintf("%s-%d-%d", h.ID, j.Number, k+1), f))
				}
			}
			h.Claims = append(h.Claims, c)
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
	h := htmlFinding{Verdict: string(f.Verdict), Class: badge(f.Verdict), Says: sentence(f.Says), Found: f.Words(), Rule: f.Rule,
		Published: f.PublishedWords(), Caveats: f.Caveats()}
	t := table{Title: "Cases", Columns: []column{
		{"matrix", false}, {"precision", false}, {"cache", false}, {"of", false}, {"figure", true}, {"published", true}, {"stands", false},
	}}
	for i := range f.Cases {
		if i == mostCases {
			h.Cut = len(f.Cases) - mostCases
			break
		}
		c := &f.Cases[i]
		known := cell{missing, math.NaN()}
		if c.Published != nil {
			known = cell{significant(*c.Published, 3), *c.Published}
		}
		t.Rows = append(t.Rows, []cell{words(c.Name()), words(c.Precision), words(c.Cache), words(c.Note),
			{claims.Figure(c.Value, c.Low, c.High), c.Value}, known, words(c.Standing.Words())})
	}
	h.Cases = t.html(id)
	return h
}
