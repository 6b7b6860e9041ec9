// Package store keeps everything that sweeps find out in one SQLite file: the
// sweeps, the device, the matrices with their features, the kernels, and each
// trial with its raw samples.
//
// Results flow in through a DB's methods of tuner.Recorder, one commit per
// trial, or through Import, many at once, and out through views: results, best,
// speedup and features, whose columns do not change within a major version and
// which any SQLite shell can read. The typed readers (Results, Best, Features and
// so on) are thin layers over these. The package refuses files that it did not
// make, files from a newer program, and every statement given to Query that would
// do more than read.
package store
