package sbatch

import (
	"slices"
	"strconv"
	"time"
)

// A JobID names a job, or a whole array of jobs.
type JobID struct {
	ID string `json:"id"` // ID is the number, as text: "1234".
	// Cluster is the cluster's name; "" means the configured one.
	Cluster string `json:"cluster,omitempty"`
}

// A Job is what Slurm says about a job, or about one task of an array.
type Job struct {
	JobID         // JobID is the array's, if the job is a task of one.
	Task   int    // Task is the index in the array, -1 for a job outside of arrays.
	Name   string // Name is the job's name.
	State  State
	Reason string        // Reason is why the job is pending or has failed, in Slurm's words; "" if there is none.
	Nodes  string        // Nodes are named as Slurm writes them: "n[1-3]".
	Ran    time.Duration // Ran is how long this attempt has run.
	Limit  time.Duration // Limit is the time limit, 0 for none.
	Start  time.Time     // Start is the actual or expected start; zero if it is not known.
	Exit   string        // Exit is the exit code and the signal, "1:0", of a job that failed; "" if it is not known.
}

func isNumber(text string) bool {
	_, err := strconv.ParseUint(text, 10, 32)
	return err == nil
}

// startTime reads a time as squeue and sacct print it. Other words ("N/A", "Unknown") give
// the zero time.
func startTime(text string) time.Time {
	t, _ := time.ParseInLocation("2006-01-02T15:04:05", text, time.Local)
	return t
}

// A clusterIDs holds the ids that one command asks for.
type clusterIDs struct {
	cluster string
	ids     []string
}

// byCluster groups ids by cluster, in the order in which the clusters occur.
func byCluster(ids []JobID) []clusterIDs {
	var groups []clusterIDs
	for _, id := range ids {
		at := slices.IndexFunc(groups, func(g clusterIDs) bool { return g.cluster == id.Cluster })
		if at < 0 {
			at = len(groups)
			groups = append(groups, clusterIDs{cluster: id.Cluster})
		}
		if !slices.Contains(groups[at].ids, id.ID) {
			groups[at].ids = append(groups[at].ids, id.ID)
		}
	}

	return groups
}
