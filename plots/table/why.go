// SPDX-License-Identifier: Apache-2.0

package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"example.org/spmvtune/analysis"
	"example.org/spmvtune/internal/base/lists"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/store"
)

// WhySheet says of each matrix, by a profiler's counters, what the fastest kernel does otherwise than
// the next. A matrix is left out where one of the two was not counted on a GPU.
func WhySheet(d *analysis.Data) Sheet {
	s := Sheet{Stem: "why", Title: "Why it wins", Notes: []string{
		"The fastest kernel of each matrix beside the runner-up, counted by a profiler. DRAM: bytes read and " +
			"written, divided by the compulsory bytes of the format; below 1 the rest came from the cache. DRAM rate: the " +
			"share of its peak, of the kernel that reads the matrix's values, as all that follow. Instructions: of " +
			"warps, for 32 nonzeros. Balance: how long a multiprocessor is busy, of the busiest. Waits for: the most " +
			"frequent reason for which a warp issues nothing, with its share of the time. A counter that goes along " +
			"with a difference in time need not be its cause."}}
	columns := Columns("matrix", "kernel", ">time (ms)", ">roof (%)", ">DRAM", ">DRAM rate (%)", ">L2 hits (%)",
		">instructions", ">occupancy (%)", ">balance (%)", "waits for", "what differs")
	s.Tables = perPanel(d, columns, func(t *Table, p *analysis.Panel) {
		rows := launches(d, p)
		slices.SortStableFunc(rows, func(a, b *store.Row) int { return cmp.Compare(a.Time, b.Time) })
		if len(rows) > 1 && countedOnGPU(rows[0]) && countedOnGPU(rows[1]) {
			r := rivalry{rows[0], rows[1]}
			t.Rows = append(t.Rows, append(whyCells(r.first), Text(r.words())), append(whyCells(r.second), Text("")))
			t.Rows[len(t.Rows)-2][1].Bold = true
		}
	})
	return s
}

// launches are the facts about launches at a place, a row for each kernel.
func launches(d *analysis.Data, p *analysis.Panel) (rows []*store.Row) {
	for i := range d.Launches {
		if r := &d.Launches[i]; r.Place() == p.Case {
			rows = append(rows, r)
		}
	}
	return rows
}

// A rivalry is the fastest kernel of a place and the runner-up, both counted.
type rivalry struct{ first, second *store.Row }

func countedOnGPU(r *store.Row) bool {
	_, counted := r.Properties["dram_read_bytes"]
	return counted
}

// fact is a counter, NaN if it was not counted.
func fact(r *store.Row, name string) float64 {
	if v, counted := r.Properties[name]; counted {
		return v
	}
	return math.NaN()
}

// dramBytes is what a product reads and writes in the device's memory.
func dramBytes(r *store.Row) float64 { return fact(r, "dram_read_bytes") + fact(r, "dram_write_bytes") }

// whyCells are those of a kernel, without the words.
func whyCells(r *store.Row) []Cell {
	percent := func(v float64) Cell { return number(100*v, 2) }
	name, fraction := worstStall(r)
	waits := missing
	if name != "" {
		waits = Text(stallWords[name] + " (" + share(fraction) + ")")
	}
	return []Cell{Text(r.Matrix), Text(r.Kernel), timeCell(r), percent(r.RoofFraction),
		number(dramBytes(r)/float64(r.BytesMin), 3), percent(fact(r, "dram_fraction")), percent(fact(r, "l2_hit_rate")),
		number(32*fact(r, "instructions")/float64(r.NNZ), 2), percent(fact(r, "achieved_occupancy")),
		percent(fact(r, "balance")), waits}
}

// stallWords say what warps wait for.
var stallWords = map[string]string{
	"barrier": "the other warps of the block", "branch_resolving": "branches", "lg_throttle": "the queue of global loads",
	"long_scoreboard": "data from L2 or memory", "math_pipe_throttle": "arithmetic units", "membar": "memory barriers",
	"mio_throttle": "the queue of shared memory", "no_instruction": "instructions to be fetched",
	"not_selected": "their turn to issue", "short_scoreboard": "data from shared memory",
	"wait": "fixed latencies of instructions",
}

// worstStall is the most frequent reason for which warps wait, with its share of the time; "" if
// none was counted.
func worstStall(r *store.Row) (name string, fraction float64) {
	for stall := range stallWords {
		if v := fact(r, "stall_"+stall); v > fraction || v == fraction && stall < name {
			name, fraction = stall, v
		}
	}
	return name, fraction
}

// words say what the first of two does otherwise: first what of the time's ratio is due to bytes and
// what to their rate, then the counters that differ most in its favour, then what both wait for.
func (r rivalry) words() string {
	if !analysis.Tells(r.first, r.second) {
		return "As fast as the other: the data can't tell them apart."
	}
	parts := []string{r.traffic(), r.differences()}
	w, ours := worstStall(r.first)
	o, theirs := worstStall(r.second)
	if w != "" && o != "" {
		parts = append(parts, fmt.Sprintf("Its warps wait most for %s, %s of the time, the other's for %s, %s.",
			stallWords[w], share(ours), stallWords[o], share(theirs)))
	}
	return strings.Join(parts, " ")
}

func share(v float64) string { return term.Significant(100*v, 2) + "%" }

// fromMemory is the share of the compulsory bytes from which on memory, and not the cache, is where a
// product's bytes come from.
const fromMemory = 0.5

func (r rivalry) fromMemory() bool {
	return max(dramBytes(r.first), dramBytes(r.second)) >= fromMemory*float64(r.first.BytesMin)
}

// traffic divides the ratio of times into that of bytes and that of their rates.
func (r rivalry) traffic() string {
	where, ours, theirs := "memory", dramBytes(r.first), dramBytes(r.second)
	if !r.fromMemory() {
		where, ours, theirs = "the L2 cache", fact(r.first, "l2_read_bytes"), fact(r.second, "l2_read_bytes")
	}
	bytes := theirs / ours
	if math.IsNaN(bytes) || math.IsInf(bytes, 0) {
		return "The bytes moved were not counted."
	}
	const alike = 1.05
	three := func(v float64) string { return term.Significant(v, 3) }
	gain := r.second.Time / r.first.Time / bytes
	moves, speed := "about as many bytes", ", "+three(gain)+" times as fast"
	switch {
	case bytes >= alike:
		if moves = "1/" + three(bytes) + " of the bytes"; gain < alike {
			speed = ", about as fast"
		}
	case bytes <= 1/alike:
		moves, speed = three(1/bytes)+" times the bytes", ", but "+three(gain)+" times as fast"
	}
	return fmt.Sprintf("It moves %s in %s%s (%s and %s GB/s).", moves, where, speed, three(1e-9*ours/r.first.Time),
		three(1e-9*theirs/r.second.Time))
}

// A difference is a counter that may say why a kernel is faster.
type difference struct {
	counter string
	fewer   bool // Less of it is better.
	says    string
	format  func(r *store.Row, v float64) string
}

func percentOf(_ *store.Row, v float64) string { return share(v) }

var differing = []difference{
	{"launches", true, "of kernels it launches %s instead of %s", func(_ *store.Row, v float64) string { return term.Plain(v) }},
	{"dram_read_bytes", true, "it reads %s MB from memory instead of %s",
		func(_ *store.Row, v float64) string { return term.Significant(1e-6*v, 3) }},
	{"instructions", true, "it executes %s instructions for 32 nonzeros instead of %s",
		func(r *store.Row, v float64) string { return term.Significant(32*v/float64(r.NNZ), 2) }},
	{"balance", false, "its multiprocessors share the work better (%s, %s)", percentOf},
	{"achieved_occupancy", false, "it keeps more warps resident (%s, %s)", percentOf},
	{"warp_efficiency", false, "more threads of a warp take part (%s, %s)", percentOf},
	{"load_efficiency", false, "its loads use more of each sector (%s, %s)", percentOf},
}

// mostDifferences is how many counters are named, and leastDifference the ratio from which on.
const (
	mostDifferences = 3
	leastDifference = 1.1
)

// differences names the counters that differ most in the winner's favour.
func (r rivalry) differences() string {
	type found struct {
		by   float64
		says string
	}
	var list []found
	for _, d := range differing {
		ours, theirs := fact(r.first, d.counter), fact(r.second, d.counter)
		by := ours / theirs
		if d.fewer {
			by = theirs / ours
		}
		if traffic := d.counter == "dram_read_bytes" && r.fromMemory(); by >= leastDifference && !traffic {
			list = append(list, found{by, fmt.Sprintf(d.says, d.format(r.first, ours), d.format(r.second, theirs))})
		}
	}
	slices.SortStableFunc(list, func(a, b found) int { return cmp.Compare(b.by, a.by) })
	if len(list) == 0 {
		return "No other counter speaks for it."
	}
	texts := lists.Of(list[:min(len(list), mostDifferences)], func(f found) string { return f.says })
	return sentence(strings.Join(texts, "; "))
}
