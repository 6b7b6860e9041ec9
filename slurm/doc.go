// Package slurm runs a sweep on a cluster: it cuts the sweep into chunks, sends
// them through sbatch as arrays of tasks, watches them, and unites what they
// measured in one database. Slurm is the engine; nothing of it is rebuilt here.
//
// A run is a folder on the file system that all nodes share. Its plan is a file
// that tasks read by index. A task never opens the database: every attempt of it
// appends to a journal of its own (package tuner/journal), and what the journals
// hold decides what is done. What Slurm says about a job only explains.
//
// Slurm is asked through its commands, with a time-out of our own: squeue and
// scontrol, and sacct where there is accounting.
package slurm
