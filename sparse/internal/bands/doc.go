// Package bands makes a sorted CSR of entries that come in pieces, in any order,
// on all cores at once.
//
// The rows are cut into bands, by a [Layout] that follows from the number of rows
// and entries alone. Whoever parses a piece of the file leaves its entries as a
// [Chunk], mirrored where the symmetry asks for it and distributed over the bands;
// [Assemble] then sorts band by band, each in its own place in the matrix. The
// result does not depend on the number of cores: entries of the same position are
// added up in the order of the chunks, and within a chunk in that of its entries.
//
// Memory is the matrix, 12 bytes to an entry, and the chunks, 14 bytes to an
// entry after mirroring, 6 in a pattern. Only a row that is longer than a few
// entries and not in order is copied once more while it is sorted.
package bands
