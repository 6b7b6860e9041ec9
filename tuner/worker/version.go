package worker

// Version is the version of the measurement: of the code that decides what a sample is. It
// is part of the identity of a trial and recorded with each result, because times of
// different versions can't be compared.
//
//	1  everything from before results had a version; what a warm sample is changed twice
//	2  a warm sample lasts at least 50 µs, and longer where the clock is coarse
//	3  a GPU replays the products of a sample as a CUDA graph, unless the protocol says
//	   launch = "stream"; cold samples find clean lines in the caches, no modified ones;
//	   one product ends a trial that is far slower than the best of its place
//
// testdata/measurement lists the files that decide it, with their digests. TestVersion
// fails when one of them changes, and says what to do.
const Version = 3
