// Package search decides which configurations of a matrix are measured, in which
// order, and with how many samples.
//
// It measures nothing itself. A [Strategy] is asked for a [Step]. Somebody measures it, the
// tuner on a device or a replay in a recorded grid, and tells the strategy the result;
// and so on, until the strategy has no more steps. A strategy is deterministic for its
// seed and what it was told. Asked again after a crash, and told again what is known, it
// goes on where it was.
//
// One search is about one matrix in one precision and cache state. Its [Space] holds the
// configurations that the constraints of the sweep left over. Neighbours are defined on
// these, so no strategy proposes a configuration that is not there.
//
// An adaptive strategy measures configurations with few samples first and drops those that
// are clearly slower. What may be the best is measured under the sweep's own protocol in
// the end: it is the same trial as in a sweep that tries everything.
//
// [Strategies] is the registry. Sweep files, help, completion and documentation read it.
package search
