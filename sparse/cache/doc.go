// Package cache keeps matrices that took time to read or to make as files that
// open at once: the arrays of a CSR as they lie in memory, behind a header with
// what is known of the matrix.
//
// A cache is a folder ([Dir]). An entry is named by a [Key], which covers all that
// its content depends on: the bytes of a file and how they were read, or a
// generator with its arguments, and the versions of the code that did it. Entries
// are therefore never out of date, only unused; there is nothing to invalidate.
// A key is made of a file's content, not of its name; [Dir.Identify] spares a file
// that has not changed from being hashed again, and says what that rests on.
//
// An entry appears whole, under a temporary name until it is on the disk, so any
// number of processes may read and fill a cache at the same time. Two that fill the
// same entry write the same bytes, and the last one's stay.
//
// Entries are verified in two steps. [Dir.Open] checks the header against its digest and the
// file's length against the header, and touches none of the arrays: [Entry.Meta], with the
// content hash of the matrix and its features, is then right, and a truncated file has been
// noticed. The arrays are checked when they are first used, piece by piece against the
// checksums in the header, on all cores: [Entry.Copy] gives a matrix in memory of its own after
// it has checked that memory, [Entry.Verify] checks the arrays in place, and [Entry.Pattern]
// those of them that say where entries are. Nobody should compute with Entry.A before Verify.
// The content hash, which takes several times as long, is compared by [Dir.Verify] alone: it
// identifies a matrix; someone who alters a file with intent can alter it as well.
//
// This package refuses to be needed: the nil *Dir is a cache that is off, an entry
// that cannot be used is an error that means "make the matrix again", and failing to
// fill one costs nothing but the time of the next run. It never takes the last space
// of a disk. It stores values of float64 in this machine's byte order, and refuses
// entries of another.
package cache
