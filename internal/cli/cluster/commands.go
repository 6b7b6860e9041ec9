package cluster

import "github.com/spf13/cobra"

// clusterCommands are the commands on runs, in the order of the help.
func Commands() []*cobra.Command {
	return []*cobra.Command{newSubmit(), newStatus(), newRetry(), newCancel(), newThrottle(), newMerge()}
}
