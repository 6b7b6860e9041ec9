package sbatch

import (
	"os"
	"slices"
	"strings"
)

// optionPrefixes begin the names of variables that are not passed on: they change what
// Slurm's programs do or print, and a new job would inherit those of a surrounding one.
var optionPrefixes = []string{
	"SBATCH_", "SQUEUE_", "SCANCEL_", "SINFO_", "SACCT_", "SALLOC_", "SRUN_", "SLURM_",
}

// connection are the variables that are passed on all the same. They say where the
// cluster's configuration is and who asks: without them a program finds no controller, or is
// turned away.
var connection = []string{
	"SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_JWT", "SLURM_SACK_JWKS", "SLURM_SACK_KEY", "SLURM_SACK_SOCKET",
}

// cleanEnv is env without options for Slurm's programs. CUDA_VISIBLE_DEVICES goes too: the
// GPU of the session that submits a sweep says nothing about the GPUs of its tasks.
func cleanEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		option := slices.ContainsFunc(optionPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
		return option && !slices.Contains(connection, name) || name == "CUDA_VISIBLE_DEVICES"
	})
}

// askEnv is the environment of a program that only asks. The environment of sbatch keeps the
// user's language, because the job inherits it.
func askEnv(env []string) []string {
	kept := slices.DeleteFunc(cleanEnv(env), func(v string) bool {
		return strings.HasPrefix(v, "LC_ALL=") || strings.HasPrefix(v, "LANGUAGE=")
	})
	// With a length of 0, tasks that have not started are listed in full.
	return append(kept, "LC_ALL=C", "SLURM_BITSTR_LEN=0")
}

// ChosenCluster is the cluster that the user has chosen by SLURM_CLUSTERS, where several
// share a login node; "" means the configured one. It is passed on as an option and recorded
// with the job, so that later commands ask the same cluster whatever the variable says then.
func ChosenCluster() string { return os.Getenv("SLURM_CLUSTERS") }
