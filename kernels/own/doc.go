// Package own reads the source of a kernel that a sweep defines, compiles it for each of its
// configurations, and keeps what was compiled by content: the source, what it includes, the
// macros that it uses, the flags and the compiler's version. A compiler runs in a folder of its
// own, in which nothing but these files lies, and for a limited time.
//
// It does not run kernels: packages cpu and cuda do.
package own
