// SPDX-License-Identifier: Apache-2.0

package slurm

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/BurntSushi/toml"

	"example.org/spmvtune/configs"
)

// The programs in bin/. The second, built with CUDA, measures for the first.
const (
	programName = "spmvtune"
	cudaName    = "spmvtune-cuda"
)

// program is the path of the copy of the program that the jobs run.
func (r *Run) program() string { return r.Path(binDir, programName) }

// cudaProgram is the path of the copy that is built with CUDA, which need not exist.
func (r *Run) cudaProgram() string { return r.Path(binDir, cudaName) }

// copyPrograms puts the program into bin/ of a folder and, for a sweep that needs it, the one beside it that is
// built with CUDA. A program that is rebuilt can't change a run.
func (r *Run) copyPrograms(dir, program string, cuda bool) error {
	resolved, err := filepath.EvalSymlinks(program)
	if err != nil {
		return fmt.Errorf("finding the program: %w", err)
	}
	r.Program, err = shareFile(filepath.Join(dir, binDir, programName), resolved, filepath.Dir(r.Dir))
	beside := filepath.Join(filepath.Dir(resolved), cudaName)
	if info, statErr := os.Stat(beside); err == nil && cuda && statErr == nil && info.Mode().IsRegular() {
		r.CUDA, err = shareFile(filepath.Join(dir, binDir, cudaName), beside, filepath.Dir(r.Dir))
	}
	return err
}

// shareFile puts a program where nothing is yet, and returns its SHA-256. A run below root that has the same shares its
// copy, by a hard link; where there is none, the new run has its own.
func shareFile(to, from, root string) (hash string, err error) {
	if hash, err = hashOf(os.Open(from)); err != nil {
		return "", err
	}
	others, _ := List(root)
	for _, o := range others {
		name := filepath.Base(to)
		has := o.Run != nil && map[string]string{programName: o.Program, cudaName: o.CUDA}[name] == hash
		if !has || os.Link(o.Path(binDir, name), to) != nil {
			continue
		}
		if now, err := hashOf(os.Open(to)); err == nil && now == hash {
			return hash, nil
		}
		if err := os.Remove(to); err != nil { // it was damaged
			return "", err
		}
	}
	return copyFile(to, from)
}

// copyFile copies a program to a file that must not exist yet, and returns the SHA-256 of the copy.
func copyFile(to, from string) (hash string, err error) {
	in, err := os.Open(from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o777)
	if err != nil {
		return "", err
	}
	_, err = io.Copy(out, in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return "", err
	}
	return hashOf(os.Open(to))
}

// CheckPrograms makes sure that the running program, and the one built with CUDA that may
// measure for it, are those of the submission. Others may have other kernels and measure in
// another way.
func (r *Run) CheckPrograms() error {
	// The first is the file that was started, even if its path leads to another one by now.
	for _, p := range []struct{ which, was, path, open string }{
		{"the program that runs", r.Program, r.program(), "/proc/self/exe"},
		{"the program built with CUDA", r.CUDA, r.cudaProgram(), r.cudaProgram()},
	} {
		hash, err := hashOf(os.Open(p.open))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("reading %s: %w", p.which, err)
		}
		if hash != p.was {
			return fmt.Errorf("%s is not the one of run %s (its SHA-256 is %.12s, not %.12s): "+
				"leave %s as submit wrote it, or submit the sweep again",
				p.which, r.JobName(), cmp.Or(hash, "none"), cmp.Or(p.was, "none"), p.path)
		}
	}
	self, err := os.Executable()
	if err != nil || r.CUDA == "" {
		return err
	}
	return r.checkBeside(self)
}

// checkBeside makes sure that the program built with CUDA beside the one that runs, which measures for it,
// is that of the submission, too: the program need not be the one in bin/.
func (r *Run) checkBeside(self string) error {
	resolved, _ := filepath.EvalSymlinks(self)
	beside := filepath.Join(filepath.Dir(cmp.Or(resolved, self)), cudaName)
	if hash, err := hashOf(os.Open(beside)); err != nil || hash != r.CUDA {
		return fmt.Errorf("%s is not the program built with CUDA of run %s: start %s instead", beside, r.JobName(), r.program())
	}
	return nil
}

// hashOf returns the SHA-256 of a file that was opened.
func hashOf(f *os.File, err error) (string, error) {
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum.Sum(nil)), nil
}

// sweepDigest is a digest of all values of a sweep but [slurm]. Comments and layout don't count.
func sweepDigest(text []byte) (string, error) {
	values := map[string]any{}
	if _, err := toml.Decode(string(text), &values); err != nil {
		return "", err
	}
	delete(values, "slurm")
	return digest(fmt.Appendf(nil, "%#v", values)), nil // maps are printed by key
}

// Measures reports whether the run was submitted for a sweep as it is now, [slurm] apart.
func (r *Run) Measures(sweep *configs.Sweep) bool {
	values, err := sweepDigest(sweep.Text)
	if err != nil || values != r.Digest {
		return false
	}
	own, err := ownText(sweep)
	return err == nil && (own == nil && r.OwnDigest == "" || own != nil && digest(own) == r.OwnDigest)
}

// ownText is what the run keeps of the sweep's own kernels; nil if it has none.
func ownText(sweep *configs.Sweep) ([]byte, error) {
	list := sweep.Custom()
	if len(list) == 0 {
		return nil, nil
	}
	return json.Marshal(list)
}

func digest(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

// CheckSweep makes sure that the run's copies of the sweep and of its own kernels say what they said
// at submission, [slurm] apart: a run must not mix two protocols. One that is lost is for tasks to refuse: what is
// measured can be merged.
func (r *Run) CheckSweep() error {
	for _, file := range []string{sweepFile, ownFile} {
		if _, err := r.asSubmitted(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// asSubmitted reads the run's copy of the sweep, or of its own kernels. It refuses one that was edited.
func (r *Run) asSubmitted(file string) ([]byte, error) {
	data, err := r.Read(file)
	if err != nil {
		return nil, fmt.Errorf("reading %s of the run: %w", file, err)
	}
	now, was := digest(data), r.OwnDigest
	if file == sweepFile {
		now, err = sweepDigest(data)
		was = r.Digest
	}
	if err != nil || (was != "" || file == sweepFile) && now != was {
		return nil, fmt.Errorf("%s was edited after the run was submitted, and only [slurm] in %s may change: "+
			"undo the edit, or submit the edited sweep as another run", r.Path(file), sweepFile)
	}
	return data, nil
}
