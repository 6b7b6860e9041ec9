// Package export writes what a database holds in the formats of other tools, so that they read it without a
// converter: tables (CSV, JSON, Parquet), the files of auto-tuners (T1, T4, Kernel Tuner's cache), and those of
// programs that compare benchmarks (benchstat, Google Benchmark). docs/exchange.md says what is in each.
//
// Nothing is computed anew: times, intervals and ties are those of the database. A format that has one search
// space in a file gets the trials of one place. What a format has no room for is left out, and counted.
package export
