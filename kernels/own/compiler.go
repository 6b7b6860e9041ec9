package own

import (
	"cmp"
	"context"
	"errors"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A Compiler makes a library or a module of a source.
type Compiler struct {
	// Version is that of the compiler, with all else that a result depends on beside Flags.
	Version string
	Flags   []string
	Ending  string // of what it makes
	// Compile compiles the file source in the folder dir to the file out, and returns what the
	// compiler printed.
	Compile func(ctx context.Context, dir, source, out string, flags []string) (printed string, err error)
}

// compileTimeout is how long a compiler may take for one configuration.
const compileTimeout = 2 * time.Minute

// limited runs a program in sh with bounds: files of 512 MiB and two minutes of processor time.
const limited = `ulimit -f 1048576; ulimit -t 120; exec "$@"`

// command is a compiler that is a program. It is killed together with the programs that it
// started.
func command(program []string, out ...string) func(context.Context, string, string, string, []string) (string, error) {
	return func(ctx context.Context, dir, source, to string, flags []string) (string, error) {
		if strings.HasPrefix(source, "-") { // an option otherwise
			source = "./" + source
		}
		args := slices.Concat([]string{"-c", limited, "sh"}, program, flags, []string{source}, out, []string{to})
		cmd := exec.CommandContext(ctx, "sh", args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "LC_ALL=C", "TMPDIR="+dir)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
		cmd.WaitDelay = time.Second
		var text []byte
		var err error
		done := make(chan struct{})
		go func() { // the calling thread may not start processes any more
			defer close(done)
			text, err = cmd.CombinedOutput()
		}()
		<-done
		if ctx.Err() != nil {
			err = errors.New("the compiler did not end within " + compileTimeout.String())
		}
		return string(text), err
	}
}

// ForCPU is the C or C++ compiler for a source on a processor of this name: $CC or $CXX, else the
// first that is found.
func ForCPU(source, processor string) (*Compiler, error) {
	variable, names := "CC", []string{"gcc", "cc", "clang"}
	if path.Ext(source) != ".c" {
		variable, names = "CXX", []string{"g++", "c++", "clang++"}
	}
	program, err := find(os.Getenv(variable), names)
	if err != nil {
		return nil, errors.New("there is no C compiler: install gcc, or name one in " + variable)
	}
	return &Compiler{
		Version: version(program) + processor, Ending: ".so", Compile: command(program, "-lm", "-o"),
		Flags: []string{"-O3", "-march=native", "-fopenmp", "-shared", "-fPIC", "-I."},
	}, nil
}

// ForGPU is nvcc for a compute capability, times 10: $NVCC, else that of the path or of
// $CUDA_HOME, else the usual one; none if $NVCC is off.
func ForGPU(compute string) (*Compiler, error) {
	if os.Getenv("NVCC") == "off" {
		return nil, errors.New("nvcc is off (NVCC)")
	}
	names := []string{"nvcc", "/usr/local/cuda/bin/nvcc"}
	if home := cmp.Or(os.Getenv("CUDA_HOME"), os.Getenv("CUDA_PATH")); home != "" {
		names = append([]string{path.Join(home, "bin/nvcc")}, names...)
	}
	program, err := find(os.Getenv("NVCC"), names)
	if err != nil {
		return nil, err
	}
	return &Compiler{
		Version: version(program), Ending: ".cubin", Compile: command(program, "-o"),
		Flags: []string{"-O3", "-std=c++17", "-cubin", "-arch=sm_" + compute, "-I."},
	}, nil
}

// find is a program that was named, with arguments perhaps, or else the first that is there.
func find(named string, names []string) ([]string, error) {
	if words := strings.Fields(named); len(words) > 0 {
		return words, nil
	}
	for _, name := range names {
		if found, err := exec.LookPath(name); err == nil {
			return []string{found}, nil
		}
	}
	return nil, errors.New(strings.Join(names, ", ") + " are not found")
}

var versions sync.Map // of programs, by their words: to ask nvcc takes a while

// version is what a compiler says of itself, with the arguments that were named with it.
func version(program []string) string {
	name := strings.Join(program, " ")
	if known, ok := versions.Load(name); ok {
		return known.(string)
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	text, err := exec.CommandContext(ctx, program[0], append(slices.Clone(program[1:]), "--version")...).Output()
	said := strings.Join(program[1:], " ") + string(text)
	if err != nil {
		said = name + ": " + err.Error()
	}
	versions.Store(name, said)
	return said
}
