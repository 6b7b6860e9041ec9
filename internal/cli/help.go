package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"spmvtune/configs"
	"spmvtune/internal/cli/command"
)

// newHelp is the command help. It replaces cobra's, which exits with 0 for a wrong topic.
func newHelp() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND|TOPIC]",
		Short: "Help about a command, about config (sweep files) or about database (views)",
		Example: `  spmvtune help run
  spmvtune help config`,
		ValidArgsFunction: completeTopic,
		RunE:              help,
	}
}

func completeTopic(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	topic, _, err := cmd.Root().Find(args)
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return topics(topic), cobra.ShellCompDirectiveNoFileComp
}

func help(cmd *cobra.Command, args []string) error {
	topic, rest, err := cmd.Root().Find(args)
	if err != nil || len(rest) > 0 {
		err := fmt.Errorf("no help about %q", strings.Join(args, " "))
		if near := configs.Nearest(args[len(args)-1], topics(cmd.Root())); near != "" {
			err = fmt.Errorf("%w: did you mean %s?", err, near)
		}
		return command.UsageHint(err, "spmvtune --help lists the commands")
	}

	topic.InitDefaultHelpFlag()
	topic.InitDefaultVersionFlag()
	return topic.Help()
}

// topics are the names of the commands and topics below cmd.
func topics(cmd *cobra.Command) []string {
	var names []string
	for _, c := range cmd.Commands() {
		if !c.Hidden {
			names = append(names, c.Name())
		}
	}
	return names
}

// newHelpConfig is a help topic: a command without a body, whose text `spmvtune help config`
// prints.
func newHelpConfig() *cobra.Command {
	return &cobra.Command{
		Use:     "config",
		Short:   "The format of a sweep file",
		Long:    configs.Help(),
		Example: "  spmvtune help config | less",
	}
}
