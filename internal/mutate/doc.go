// Mutate asks how much the tests notice. It breaks the code of packages in one place at a
// time (a comparison, an operator, a constant, a condition, a result, a statement left
// out, a word of SQL), runs their tests on each such mutant, and prints those that nothing
// noticed: the survivors. A survivor is a gap in the tests, or means the same as the
// original; the latter are listed in equivalent.txt, with the reason.
//
// The tree is never changed: go test reads the mutant through an overlay. A package's own
// tests run first, then those of the packages that import it, one at a time, up to a limit
// of time. The mutants are drawn at random with a seed, so that a run can be repeated.
//
// Mutants that do not compile are drawn again. One that runs out of time counts as killed,
// and is counted in a column of its own.
//
// Note: gremlins was considered. It takes all mutants of a package in a copy of the module,
// has no seed, leaves out no statement or result, and can't pass -short.
package main
