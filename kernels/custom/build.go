// SPDX-License-Identifier: Apache-2.0

// Package custom holds the kernels that a sweep defines. It reads the source of one, compiles it for each
// of its configurations, by a C compiler, nvcc or NVRTC, and keeps what was compiled by content: the
// source, what it includes, the macros that it uses, the flags and the compiler's version. A compiler
// runs in a folder of its own, in which nothing but these files lies. Packages cpu and cuda run what was compiled.
//
// A custom kernel can also be a program, which multiplies a matrix and prints how long that took. It is
// told what to do by a command: words with placeholders, which never go through a shell. A program has a
// folder of its own, a time limit and a limit on the sizes of files. When it ends, what it started ends
// with it. Nothing that it prints is trusted but its times.
package custom

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/internal/base/term"
	"example.org/spmvtune/kernels"
)

// Build returns the file that a kernel is compiled to for a configuration: from the folder cache
// if it is there and whole, else anew. A *kernels.InvalidError has the compiler's words, with file and
// line; another error is none of the source's.
func Build(cache string, by *Compiler, o kernels.Custom, c kernels.Config) (file string, err error) {
	macros := used(o, o.Macros(c))
	file = filepath.Join(cache, key(by, o, macros)+by.Ending)
	if known, err := built(file); known {
		return file, err
	}
	if err := os.MkdirAll(cache, 0o777); err != nil {
		return "", fmt.Errorf("making the folder of compiled kernels: %w", err)
	}
	lock := file + ".lock"
	if unlock, _, err := files.Lock(context.Background(), lock, nil); err == nil { // without locks, several may compile it
		defer unlock()
		defer os.Remove(lock) // who waits finds the file compiled
	}
	if known, err := built(file); known { // by the worker of another GPU
		return file, err
	}
	scratch, err := files.NewScratch(cache, ".tmp-")
	if err != nil {
		return "", fmt.Errorf("making a folder to compile in: %w", err)
	}
	defer scratch.Remove()
	dir := scratch.Path()
	if err := write(dir, o.Files); err != nil {
		return "", fmt.Errorf("writing the source: %w", err)
	}

	flags := slices.Clone(by.Flags)
	for _, name := range slices.Sorted(maps.Keys(macros)) {
		flags = append(flags, "-D"+name+"="+macros[name])
	}
	made := filepath.Join(dir, "out"+by.Ending)
	printed, err := by.Compile(dir, o.File, made, flags)
	if err == nil {
		return file, keep(made, file)
	}

	said := kernels.NotCompiled + complaint(printed, err)
	if !refused(err) || passing.MatchString(echoed.ReplaceAllString(printed, "")) {
		return "", errors.New(said)
	}
	if firstError.MatchString(printed) { // it would say so again
		files.Write(file+".note", []byte(digest(said)+said))
	}
	return "", &kernels.InvalidError{Reason: said}
}

// keep puts what was compiled into the cache, with a note of its digest: a disk that was full, or a machine
// that lost its power, leaves files that are cut off.
func keep(made, file string) error {
	content, err := files.ReadFile(made, mostCompiled)
	if err == nil {
		err = files.Write(file, content)
	}
	if err != nil {
		return fmt.Errorf("keeping what was compiled: %w", err)
	}
	return files.Write(file+".note", []byte(digest(string(content))))
}

// built reports whether the cache knows a file and has it whole, or why it can't be compiled. A note has the digest
// of the file, or of what the compiler said and that.
func built(file string) (known bool, err error) {
	note, _ := files.ReadFile(file+".note", mostCompiled)
	if len(note) < digestLength {
		return false, nil
	}
	sum, said := string(note[:digestLength]), string(note[digestLength:])
	if said != "" {
		return digest(said) == sum, &kernels.InvalidError{Reason: said}
	}
	content, err := files.ReadFile(file, mostCompiled)
	return err == nil && digest(string(content)) == sum, nil
}

// Source is the identity of a kernel that a compiler compiles; the compiler may be missing.
func Source(by *Compiler, o kernels.Custom) string {
	compiler := ""
	if by != nil {
		compiler = by.Version + strings.Join(by.Flags, " ")
	}
	return digest("own 1", o.Digest(), compiler)
}

// key names what is compiled.
func key(by *Compiler, o kernels.Custom, macros map[string]string) string {
	parts := []string{by.Version, strings.Join(by.Flags, " "), o.File}
	for _, texts := range []map[string]string{o.Files, macros} {
		for _, name := range slices.Sorted(maps.Keys(texts)) {
			parts = append(parts, name, texts[name])
		}
	}
	return digest(parts...)
}

const digestLength = 2 * sha256.Size

func digest(parts ...string) string {
	h := sha256.New()
	for _, part := range parts {
		fmt.Fprintf(h, "%d:%s\n", len(part), part)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

var word = regexp.MustCompile(`\w+`)

// used are the macros whose names occur in the files: configurations that differ in others share
// what is compiled.
func used(o kernels.Custom, macros map[string]string) map[string]string {
	words := map[string]bool{}
	for _, text := range o.Files {
		for _, w := range word.FindAllString(text, -1) {
			words[w] = true
		}
	}
	maps.DeleteFunc(macros, func(name, _ string) bool { return !words[name] })
	return macros
}

func write(dir string, files map[string]string) error {
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if !filepath.IsLocal(name) {
			return fmt.Errorf("%s is outside of the folder of the kernel", name)
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// firstError finds a line such as "my.cu(12): error: …" or "my.c:12:5: error: …".
var firstError = regexp.MustCompile(`(?mi)^.*\berror\b.*$`)

// passing finds what is wrong with the machine and not with the source.
var passing = regexp.MustCompile(`(?i)no space left|quota exceeded|out of memory|cannot allocate|input/output error|` +
	`resource temporarily|died due to signal|terminated by signal|signal terminated|killed|file size limit|MemoryError|bad_alloc`)

// echoed finds the lines of the source that gcc prints: they may hold the same words.
var echoed = regexp.MustCompile(`(?m)^ *\d* \|.*$`)

// Refused is the error of a compiler that has ended by itself and printed why.
type Refused struct{ Reason string }

func (r *Refused) Error() string { return r.Reason }

// refused reports whether a compiler ended by itself.
func refused(err error) bool {
	var ended *exec.ExitError
	return errors.As(err, new(*Refused)) || errors.As(err, &ended) && ended.Exited()
}

// complaint is the first error that a compiler printed, on one line.
func complaint(printed string, err error) string {
	said := cmp.Or(firstError.FindString(printed), strings.TrimSpace(printed))
	if said == "" || !refused(err) {
		said = strings.TrimSpace(err.Error() + " " + said)
	}
	said = term.OneLine(said)
	const most = 400
	if len(said) > most {
		said = strings.ToValidUTF8(said[:most], "") + " …"
	}
	return said
}

// A Compiler makes a library or a module of a source.
type Compiler struct {
	// Version is that of the compiler, with all else that a result depends on beside Flags.
	Version string
	Flags   []string
	Ending  string // of what it makes
	// Compile compiles the file source in the folder dir to the file out, and returns what the
	// compiler printed.
	Compile func(dir, source, out string, flags []string) (printed string, err error)
}

// What a compiler may take for one configuration: time, and bytes on the disk.
const (
	compileTimeout = 2 * time.Minute
	mostCompiled   = 512 << 20
)

// command is a compiler that is a program, with at most 4 GiB of memory for each of its processes.
func command(program []string, out ...string) func(string, string, string, []string) (string, error) {
	return func(dir, source, to string, flags []string) (string, error) {
		if strings.HasPrefix(source, "-") { // an option otherwise
			source = "./" + source
		}
		p := Program{
			Args: slices.Concat(program, flags, []string{source}, out, []string{to}), Env: []string{"LC_ALL=C"}, Dir: dir,
			Limit: compileTimeout, Files: mostCompiled, Memory: 4 << 30,
		}
		err := p.Run(context.Background())
		return p.Said(), err
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
	text, err := Version(context.Background(), program...)
	said := strings.Join(program[1:], " ") + text
	if err != nil {
		said = name + ": " + err.Error()
	}
	versions.Store(name, said)
	return said
}
