// SPDX-License-Identifier: Apache-2.0

package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/analysis/claims"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/store"
	"example.org/spmvtune/store/compare"
)

// ClaimSheet has two tables for each device on which the data decides claims: the verdicts, and the figures behind
// them. What the other claims lack is in the terminal.
func ClaimSheet(d *analysis.Data) Sheet {
	s := Sheet{Stem: "claims", Title: "Claims of the papers", Notes: notes(d, "A claim holds on a device if all of its statements hold. "+
		"A statement is tested on cases: a matrix in one precision and cache state, in its fastest measured configuration. "+
		"A case is undecided if its interval reaches across a bound or is not known. The command claims says which claims "+
		"lack data, and lists the cases.")}
	for _, judged := range lists.Groups(d.Claims, func(j claims.Judgement) string { return j.Device }) {
		device := d.DeviceWords(judged[0].Device)
		verdicts := Table{Title: device, Columns: Columns(">no.", "verdict", "claim", "source")}
		figures := Table{Title: "Figures behind them, " + device, Folded: true, Columns: Columns(
			">no.", "verdict", "figure", "asked for", "measured", "published", "caveat",
		)}
		for i := range judged {
			j := &judged[i]
			if j.Verdict == claims.Unknown {
				continue
			}
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
		if len(verdicts.Rows) > 0 {
			s.Tables = append(s.Tables, verdicts, figures)
		}
	}
	return s
}

// AgainstSheet lists what changed, slower pairs first. The notes say how much did not change.
func AgainstSheet(r *compare.Result, base string) Sheet {
	t := Table{Title: "Changes against " + base, Columns: Columns(
		"verdict", "matrix", "precision", "cache", "kernel",
		">before (ms)", ">now (ms)", ">times as fast", ">interval", "device",
	)}

	counts := map[compare.Verdict]int{}
	var changed []*compare.Pair
	for i := range r.Pairs {
		p := &r.Pairs[i]
		counts[p.Verdict]++
		if p.Verdict != compare.Same {
			changed = append(changed, p)
		}
	}

	slices.SortStableFunc(changed, func(a, b *compare.Pair) int { return cmp.Compare(b.Ratio.Value, a.Ratio.Value) })
	for _, p := range changed {
		v, low, high := analysis.Faster(p)
		t.Rows = append(t.Rows, []Cell{
			Text(string(p.Verdict)), Text(p.Matrix), Text(string(p.Precision)), Text(string(p.Cache)), Text(p.Kernel),
			goodTime(p.A), goodTime(p.B),
			keyed(term.RoundedIn(v, low, high)+"×", v),
			keyed(between(low, high), low),
			Text(analysis.ShortDevice(p.Device)),
		})
	}

	note := fmt.Sprintf("Both databases have %s of kernel and matrix: %d became faster, %d slower, and %d show no "+
		"difference.",
		term.Count(len(r.Pairs), "pair", "pairs"), counts[compare.Faster], counts[compare.Slower],
		counts[compare.Same])

	if n := counts[compare.Unsure]; n > 0 {
		note += fmt.Sprintf(" %d can't be judged, because the device throttled.", n)
	}
	if !math.IsNaN(r.Mean.Value) {
		note += fmt.Sprintf(" This database is %s times as fast", term.Significant(1/r.Mean.Value, 3))
		if !math.IsNaN(r.Mean.Low) {
			note += fmt.Sprintf(" (95%% interval: %s to %s)", term.Significant(1/r.Mean.High, 3),
				term.Significant(1/r.Mean.Low, 3))
		}
		note += ", the geometric mean over " + term.Count(r.Matrices, "common matrix", "common matrices") + "."
	}

	return Sheet{Stem: "against", Title: "Against " + base, Tables: []Table{t}, Notes: []string{note, "A difference counts if it is larger than the threshold and the interval of the ratio, which " +
		"follows from those in which another run finds either time, does not contain 1. The comparison removes " +
		"drift of the devices."}}
}

// goodTime is a time in milliseconds with the digits that its interval supports.
func goodTime(g *store.Good) Cell {
	return keyed(term.Rounded(1e3*g.Time, 1e3*g.Time*analysis.Relative(&g.Row)), g.Time)
}

// between is an interval, a dash where there is none.
func between(low, high float64) string {
	if math.IsNaN(low) {
		return "–"
	}
	return term.Significant(low, 3) + " to " + term.Significant(high, 3)
}
