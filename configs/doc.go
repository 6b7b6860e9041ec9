// Package configs reads sweep files, which say what to measure: matrices,
// kernels, the choices for each, and the protocol.
//
// A file goes through in one pass. The TOML parser makes a tree of values; [locate] makes a
// tree of the same shape that knows the lines; each section reads its part of both, checks
// every value against the catalogue of kernels, the table of generators and the file system,
// and notes mistakes. All mistakes come back as [Errors]. If there are none, a [Sweep] comes
// back with its defaults filled in. [Help] documents the format.
//
// The package is strict: it refuses unknown keys and values instead of ignoring them, so that a
// sweep that starts measures what its author meant. It opens no matrix and asks no device.
// Choices that depend on them, such as grid sizes per multiprocessor and constraints on the
// number of rows, stay in the [Space] of each kernel section; [Space.Expand] and [Space.Keep]
// resolve them.
package configs
