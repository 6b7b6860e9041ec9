package table

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"spmvtune/analysis"
	"spmvtune/internal/base/term"
	"spmvtune/store"
)

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
	switch {
	case w == "" || o == "":
	case w == o:
		parts = append(parts, fmt.Sprintf("The warps of both wait most for %s, %s and %s of the time.", stallWords[w],
			share(ours), share(theirs)))
	default:
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
	times, bytes := r.second.Time/r.first.Time, theirs/ours
	gain := times / bytes
	rates := fmt.Sprintf("%s and %s GB/s", term.Significant(1e-9*ours/r.first.Time, 3),
		term.Significant(1e-9*theirs/r.second.Time, 3))
	switch {
	case math.IsNaN(bytes) || math.IsInf(bytes, 0):
		return "The bytes moved were not counted."
	case bytes >= 1.05 && gain >= 1.05:
		return fmt.Sprintf("It moves 1/%s of the bytes in %s, %s times as fast (%s).", term.Significant(bytes, 3), where,
			term.Significant(gain, 3), rates)
	case bytes >= 1.05:
		return fmt.Sprintf("It moves 1/%s of the bytes in %s, about as fast (%s).", term.Significant(bytes, 3), where, rates)
	case bytes <= 1/1.05:
		return fmt.Sprintf("It moves %s times the bytes in %s, but %s times as fast (%s).", term.Significant(1/bytes, 3),
			where, term.Significant(gain, 3), rates)
	default:
		return fmt.Sprintf("It moves about as many bytes in %s, %s times as fast (%s).", where,
			term.Significant(gain, 3), rates)
	}
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
	var texts []string
	for _, f := range list[:min(len(list), mostDifferences)] {
		texts = append(texts, f.says)
	}
	if len(texts) == 0 {
		return "No other counter speaks for it."
	}
	return Sentence(strings.Join(texts, "; "))
}
