// Package status says how far a run is. The journals say what is done, and Slurm, where it
// answers, explains the rest.
//
// A Tracker reads the folder of a run, and an Observer asks Slurm about the jobs of several
// runs. Together they give a Status.
package status
