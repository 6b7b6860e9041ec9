package worker

// Version is the version of the measurement: of the code that decides what a sample is.
// It is part of the identity of a trial, and it is recorded with each result, because
// times of different versions can't be compared. Results from before there were versions
// count as version 1.
//
// A sample is decided by more files than one. TestVersion compares a digest of them with
// the one in testdata/digest, and says what to do when it differs.
//
//	1  everything from before results had a version; what a warm sample is changed twice
//	2  a warm sample lasts at least 50 µs, and longer where the clock is coarse
const Version = 2
