// Package adopt gives a new run what an earlier one has measured, so that only the rest is sent. The earlier
// one is the folder of a run, wherever it lies now, or a database.
//
// What may be adopted is decided by identity: the trials that the new run would try are planned on the
// device that the earlier one had, from the sweep, the content of its matrices and the code of this
// program, and only these are taken. So everything that a result depends on is the same. They go into
// journals of the new run, one for each chunk, as those of an attempt: tasks find them there, merge brings
// them into the database, and if they are lost, that is noticed as for any journal.
//
//   - Read reads what was measured
//   - Match finds what of it the new run would measure, and why the rest does not count
//   - Give writes it into the new run
package adopt
