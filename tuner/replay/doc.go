// Package replay runs search strategies on what was measured already: an exhaustive
// grid of one matrix, with its raw samples. A step of a strategy is answered from the
// record instead of a device. Thousands of searches take seconds that way, and each can be
// judged against the best there is.
//
// A partial measurement of n samples gets n that were recorded one after the other, from a random
// one on: on a busy machine all samples of some tenths of a second may be slow, and no search
// should be told the same ones each time. A trial under the protocol gets all of them. Where
// fewer were recorded than a step wants, it gets these, and the number of such steps is
// reported, but for trials that ended with their first products: these lose with what they
// have.
//
// The cost of a search is device time by a model, see [Cost]. What a search has found at any
// time is the configuration of the least median that it was told last. How good that is, is
// judged by the medians of the exhaustive grid, not by the search's own few samples; what these
// can't tell from the best is as good as the best.
package replay
