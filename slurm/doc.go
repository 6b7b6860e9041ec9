// Package slurm runs a sweep on a cluster: it cuts the sweep into chunks, sends them through
// sbatch as arrays of tasks, watches them, and unites what they measured in one database.
// Slurm is the engine; nothing of it is rebuilt here.
//
// This package holds the run: a folder on the file system that all nodes share, with the
// plan, the rounds, the submissions, the scripts and the program. A task reads its chunk from
// the plan by index. It never opens the database: every attempt appends to a journal of its
// own (package tuner/journal), and what the journals hold decides what is done. What Slurm
// says about a job only explains.
//
//   - slurm/sbatch asks Slurm through its programs
//   - slurm/submit sends a run's jobs, sends again, cancels and throttles
//   - slurm/merge brings the journals into the database and finds what is missing
//   - slurm/adopt gives a new run what an earlier one has measured
//   - slurm/status says how far a run is, and why its tasks wait or failed
package slurm
