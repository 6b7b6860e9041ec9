package slurm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
)

// CheckProgram makes sure that the program that runs is the one that the run was
// submitted with: another one may have other kernels, and other ways to measure.
func (r *Run) CheckProgram() error {
	f, err := openSelf()
	if err != nil {
		return fmt.Errorf("reading the program that runs: %w", err)
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return fmt.Errorf("reading the program that runs: %w", err)
	}
	if hash := hex.EncodeToString(sum.Sum(nil)); hash != r.Program {
		return fmt.Errorf("the program that runs is not the one of run %s (its SHA-256 is %.12s…, not %.12s…): leave %s as submit wrote it, or submit the sweep again",
			r.JobName(), hash, r.Program, r.program())
	}
	return nil
}

// openSelf opens the file of this process's program: on Linux that which was
// started, even if there is another one at its path by now.
func openSelf() (*os.File, error) {
	if f, err := os.Open("/proc/self/exe"); err == nil {
		return f, nil
	}
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}
