// Package command holds what the commands share: errors with exit codes and hints, flags and
// their completion, and how a command finds its database or its sweep.
package command
