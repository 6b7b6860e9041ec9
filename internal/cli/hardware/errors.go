package hardware

import (
	"errors"
	"fmt"
	"strings"

	"spmvtune/internal/cli/command"
	"spmvtune/kernels/cuda"
)

// InWords returns of an error what it says of the driver, if it says that no GPU can be used. It returns other errors
// as they are.
func InWords(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if strings.Contains(text, "libcuda.so.1: ") { // the loader's words, of a program that was linked with the driver
		return errors.New(cuda.NoDriver)
	}
	for _, said := range []string{cuda.NoDriver, cuda.NoDevice, cuda.NoStart} {
		if _, more, ok := strings.Cut(text, said); ok {
			more, _, _ = strings.Cut(more, "\n")
			return errors.New(said + more)
		}
	}
	return err
}

// ExplainGPU is InWords with a hint, for errors that end a sweep.
func ExplainGPU(err error) error {
	if said := InWords(err); said != err {
		return command.WithHint(fmt.Errorf("the GPU no longer answers: %w", said), seeDoctor)
	}
	return err
}

const seeDoctor = "spmvtune doctor says what was found"
