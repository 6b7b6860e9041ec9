// Package cluster is the commands on a cluster: submit, status, retry, cancel, throttle and
// merge, and the hidden command task that the tasks of an array run. It has flags, wiring and
// words; the work lies in slurm and its rooms.
package cluster
