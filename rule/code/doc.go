// Package code writes rules as source code for other people's programs: as a C header
// (C99 and C++), as a Go file, as a module for Python, and as a table of launches for CUDA.
//
// What is written depends on nothing, allocates nothing, and follows the same tree as
// rule.Select: a feature that the tree asks for and that is not known (NaN, or infinite)
// gives no choice rather than a wrong one. Equal rules give equal bytes.
package code
