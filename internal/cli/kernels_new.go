package cli

import (
	"errors"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"spmvtune/internal/cli/hardware"
	"spmvtune/kernels/own"
)

// newKernelsNew is the command kernels new.
func newKernelsNew() *cobra.Command {
	var cuda, c bool
	cmd := &cobra.Command{
		Use:   "new NAME",
		Short: "Write a kernel of your own that works, and a sweep for it",
		Long: `new writes NAME.cu, or NAME.c for the processor, and NAME.toml to this folder. The
kernel is right as it is: run the sweep, and change one and the other from there.
Without --cuda and --c it is for the GPU, if one answers.`,
		Example: `  spmvtune kernels new mine --c
  spmvtune run mine.toml`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return errors.New("new needs a name for the kernel, as in: spmvtune kernels new mine")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			backend := "cpu"
			if !cuda && !c {
				_, err := hardware.FindCUDA(cmd.Context(), 0)
				cuda = err == nil
			}
			if cuda {
				backend = "cuda"
			}
			files, err := own.New(".", args[0], backend)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is written, and a sweep for it: spmvtune run %s\n",
				filepath.Base(files[1]), filepath.Base(files[0]))
			return nil
		},
	}
	cmd.Flags().BoolVar(&cuda, "cuda", false, "a kernel for an NVIDIA GPU")
	cmd.Flags().BoolVar(&c, "c", false, "a kernel for the processor, in C")
	cmd.MarkFlagsMutuallyExclusive("cuda", "c")
	return cmd
}
