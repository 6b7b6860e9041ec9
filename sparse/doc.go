// Package sparse holds sparse matrices and what can be said about them without
// multiplying: conversions between formats, validity, a content hash, and the
// features of their structure.
//
// Data flow one way. A reader or a generator makes triplets, FromTriplets sorts
// them into a [CSR], and everything else starts from that CSR: [CSR.COO] and
// SELL for kernels that want another format, [Convert] for another precision,
// [CSR.Hash] for the identity of a trial, [Analyze] for rules and reports. A CSR
// is not changed once it is built, so formats share its arrays.
//
// This package is opinionated. Indices are 32 bits wide, because that is what every kernel here
// uses and half the traffic of a product is indices; matrices that do not fit are refused
// rather than widened. Columns are sorted and distinct within a row. Explicit zeros are kept:
// they cost what other entries cost. Values may be infinite or NaN, because real files hold
// such values.
//
// Conversions take O(nonzeros + rows + columns) time, and results do not depend
// on the number of cores.
package sparse
