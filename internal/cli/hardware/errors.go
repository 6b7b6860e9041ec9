package hardware

import (
	"errors"
	"fmt"
	"strings"

	"spmvtune/internal/cli/command"
)

// InWords explains the error of a program built with CUDA that did not start. It returns other
// errors as they are. If the driver can't be initialised, package cu prints a code and ends the
// program before main runs.
func InWords(err error) error {
	if err == nil {
		return nil
	}
	if strings.Contains(err.Error(), "libcuda.so") {
		return errNoDriver
	}
	_, said, ok := strings.Cut(err.Error(), "Error in initialization")
	if !ok {
		return err
	}
	_, code, _ := strings.Cut(said, "details on: ")
	code, _, _ = strings.Cut(strings.TrimSpace(code), " ")
	if code == "NoDevice" {
		return errNoDevice
	}
	return &driverError{code}
}

var (
	errNoDriver = errors.New("there is no NVIDIA driver (libcuda.so.1 is missing)")
	errNoDevice = errors.New("the NVIDIA driver finds no GPU")
)

// A driverError is the driver's code of why it can't be initialised.
type driverError struct{ code string }

func (e *driverError) Error() string {
	return "the NVIDIA driver can't be initialised: " + e.code
}

// ExplainGPU is InWords with a hint, for errors that end a sweep.
func ExplainGPU(err error) error {
	if said := InWords(err); said != err {
		return command.WithHint(fmt.Errorf("the GPU no longer answers: %w", said), seeDoctor)
	}
	return err
}

const seeDoctor = "spmvtune doctor says what was found"
