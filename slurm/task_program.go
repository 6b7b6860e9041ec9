package slurm

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
)

// CheckPrograms makes sure that the program that runs, and the one built with CUDA
// that may measure for it, are those that the run was submitted with: others may have
// other kernels, and other ways to measure.
func (r *Run) CheckPrograms() error {
	hash, err := hashOf(openSelf())
	if err != nil {
		return fmt.Errorf("reading the program that runs: %w", err)
	}
	if hash != r.Program {
		return r.otherProgram("the program that runs", hash, r.Program, r.program())
	}
	hash, err = hashOf(os.Open(r.cudaProgram()))
	if errors.Is(err, fs.ErrNotExist) {
		hash, err = "", nil
	}
	if err != nil {
		return fmt.Errorf("reading the program built with CUDA: %w", err)
	}
	if hash != r.CUDA {
		return r.otherProgram("the program built with CUDA", hash, r.CUDA, r.cudaProgram())
	}
	return nil
}

// otherProgram says that a program is not the one that submit copied.
func (r *Run) otherProgram(which, hash, was, path string) error {
	return fmt.Errorf("%s is not the one of run %s (its SHA-256 is %.12s, not %.12s): leave %s as submit wrote it, or submit the sweep again",
		which, r.JobName(), cmp.Or(hash, "none"), cmp.Or(was, "none"), path)
}

// hashOf is the SHA-256 of a file that was opened.
func hashOf(f *os.File, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
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
