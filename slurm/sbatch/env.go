package sbatch

import (
	"os"
	"slices"
	"strings"
)

// Variables of these names change what Slurm's commands do or print, and the
// variables of a surrounding job would be taken over by a new one: none is passed
// on.
var optionPrefixes = []string{"SBATCH_", "SQUEUE_", "SCANCEL_", "SINFO_", "SACCT_", "SALLOC_", "SRUN_", "SLURM_"}

// But these say where the cluster's configuration is, and who asks: without them a
// command finds no controller, or is turned away.
var connection = []string{"SLURM_CONF", "SLURM_CONF_SERVER", "SLURM_JWT", "SLURM_SACK_JWKS", "SLURM_SACK_KEY", "SLURM_SACK_SOCKET"}

// cleanEnv is env without options for Slurm's commands. A GPU that was given to the
// session from which a sweep is submitted says nothing about those of its tasks.
func cleanEnv(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		option := slices.ContainsFunc(optionPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
		return option && !slices.Contains(connection, name) || name == "CUDA_VISIBLE_DEVICES"
	})
}

// askEnv is the environment of a command that only asks. That of sbatch keeps the
// user's language, since it becomes that of the job.
func askEnv(env []string) []string {
	kept := slices.DeleteFunc(cleanEnv(env), func(v string) bool {
		return strings.HasPrefix(v, "LC_ALL=") || strings.HasPrefix(v, "LANGUAGE=")
	})
	// Tasks of an array that have not started are listed in full, not cut off.
	return append(kept, "LC_ALL=C", "SLURM_BITSTR_LEN=0")
}

// chosenCluster is the cluster to which sbatch submits, where several share a login
// node and the user has chosen one, or some, by SLURM_CLUSTERS; "" for that of the
// configuration. It is passed on as an option and recorded with the job, so that
// later commands ask the same cluster, whatever the variable says by then.
func ChosenCluster() string { return os.Getenv("SLURM_CLUSTERS") }
