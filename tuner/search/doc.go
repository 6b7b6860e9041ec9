// Package search decides which configurations of a matrix are measured, in which
// order, and with how many samples.
//
// It measures nothing itself. A [Strategy] is asked for a [Step], somebody measures
// it (the tuner on a device, a replay in a recorded grid) and tells the [Finding]; so
// it goes on until the strategy has no more steps. A strategy is deterministic for
// its seed and what it was told: asked again after a crash, and told again what is
// known, it goes on where it was.
//
// One search is about one matrix in one precision and cache state. Its [Space] holds
// the configurations that the constraints of the sweep left over; neighbours are
// defined on these, so that no strategy proposes what is not there.
//
// Every strategy but grid and random looks at configurations with few samples first
// and drops those that are clearly slower. What may be the best is measured under the
// sweep's own protocol in the end, so that it is the same trial as in a sweep that
// tries everything.
package search
