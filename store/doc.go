// Package store keeps everything that sweeps find out in one SQLite file: the
// sweeps, the device, the matrices with their features, the kernels, and each
// trial with its raw samples.
//
// Everything that is written goes through one writer: Record, with one commit per trial;
// Import, with many results in one commit; and Gather, which reads other databases and
// imports what it reads. The writer decides which trials count, by the rules of
// trial.Standing, and marks all others as superseded. Every reader and every view goes by
// that mark.
//
// The SQL on the table trial is in three files: columns.go lists its columns, once for
// reading and writing; trials.go reads it, and trials_write.go writes it.
//
// DecideTies works out what follows from repeats: how far another run may be off, what repeated
// trials take, and which configurations can't be told apart. It is derived, never copied from one
// database to another.
//
// Results flow out through views, whose columns do not change within a major version and
// which any SQLite shell can read, and through typed readers (Results, Best, Good and so
// on). The package refuses files that it did not make, files from a newer program, and
// every statement given to Query that would do more than read.
package store
