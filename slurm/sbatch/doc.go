// Package sbatch asks Slurm through its own programs: sbatch, squeue, sacct, scontrol and
// scancel. It starts each with a list of arguments, never through a shell, and kills it after
// a time-out of our own. It reads what they print in the columns that it asked for.
//
// The package knows jobs and nothing of sweeps or runs.
//
// Note: squeue, sacct and scontrol can print JSON, in a form that changes from version to
// version, and only where a plugin is installed. The columns have been the same for a decade.
package sbatch
