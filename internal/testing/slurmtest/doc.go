// Package slurmtest makes runs and journals for the tests of slurm's rooms.
package slurmtest
