// Package replay runs search strategies on what was measured already: an exhaustive
// grid of one matrix, with its raw samples. A step of a strategy is answered from the
// record instead of a device, so that thousands of searches take seconds, and each can
// be judged against the best that there is.
//
// A step that wants n samples gets the first n that were recorded; one under the
// protocol gets all. Where fewer were recorded than a step wants, it gets these, and
// the count of such steps is reported. What a search costs is device time by a model,
// see [Cost]; what it found at any time is the configuration of the least median it was
// told last, as in the views of the store; how good that is is judged by the medians of
// the exhaustive grid, not by the search's own few samples.
package replay
