// Package worker measures trials in a process of its own, which holds the device and the
// current matrix. The parent starts it and asks it through a [Client].
//
// Every trial takes the same way. Its product is computed once into a poisoned y and
// compared in full with a reference of higher precision. It is timed only if every row is
// within its error bound, and is compared once more afterwards. Its samples give a median
// with a 95% interval.
//
// What a sample is, is decided here and by the backends: see [Version].
package worker
