package worker

// Version is the version of the measurement: of the code that decides what a sample is. It
// is part of the identity of a trial and recorded with each result, because times of
// different versions can't be compared.
//
//	1  everything from before results had a version; what a warm sample is changed twice
//	2  a warm sample lasts at least 50 µs, and longer where the clock is coarse
//
// testdata/measurement lists the files that decide it, with their digests. TestVersion
// fails when one of them changes, and says what to do.
const Version = 2
