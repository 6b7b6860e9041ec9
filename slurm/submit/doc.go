// Package submit sends the jobs of a run: the chunks of its plan as arrays of tasks, and the job
// that merges when they have ended. It sends again what is not complete, cancels and throttles.
//
// Nothing is submitted twice, whatever fails. An intention is on disk before sbatch runs, and its
// answer right after. Where there is no answer, Slurm is asked for the job by its name.
package submit
