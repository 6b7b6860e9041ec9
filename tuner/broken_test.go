package tuner

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"os"
	"syscall"
	"testing"
	"time"

	"spmvtune/configs"
	"spmvtune/kernels"
	"spmvtune/sparse/cache"
	"spmvtune/tuner/worker"
)

// The test binary is its own worker, with a backend whose kernels misbehave by
// block size.
func TestMain(m *testing.M) {
	if os.Getenv("SPMVTUNE_TEST_WORKER") != "" {
		open := func(d configs.Device) (kernels.Backend, error) {
			if _, err := os.Stat(os.Getenv("SPMVTUNE_TEST_FALLEN")); d.Index == noDevice ||
				(d.Index == fallsOff || d.Index == fallsLoading) && err == nil {
				return nil, errors.New("there is no such device")
			}
			return &brokenBackend{index: d.Index}, nil
		}
		requests, replies := worker.Pipes()
		if err := worker.Serve(requests, replies, open); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Setenv(cache.Env, "off") // tests leave the user's cache alone
	os.Exit(m.Run())
}

// Indices of devices: noDevice can't be opened, otherModel has another name, and fallsOff dies with its second
// trial and can't be opened any more. fallsLoading fails with its first matrix and can't be opened any more.
// roofless is never done with its bandwidth.
const (
	fallsOff = iota + 7
	otherModel
	noDevice
	fallsLoading
	roofless
)

// Ways to misbehave, as the block size of cpu_csr_rows.
const (
	behave = iota + 1
	giveWrongSum
	leaveRowUnwritten
	panicInKernel
	panicInThread
	exitQuietly
	hang
	exhaustMemory
	refuse
	failOnDevice
	printAndCrash
	workOnce
	diesOutside
	writeBeside
	tooFast
	crawl
	leaveBehind
)

var leftBehind bool // whether a product has left something in this process that ends it later

type brokenBackend struct {
	p        *kernels.Problem
	index    int
	prepared int // how often
}

func (b *brokenBackend) Device() kernels.Device {
	d := kernels.Device{Backend: cmp.Or(os.Getenv("SPMVTUNE_TEST_WORKER"), "cpu"), Name: "test processor",
		Driver: "test", Units: 2, MaxBlock: 1 << 20,
		Properties: map[string]string{"uuid": fmt.Sprint("GPU-", b.index+1)}}
	if b.index == otherModel {
		d.Name = "other processor"
	}
	return d
}

// Sense works on what passes for a GPU.
func (b *brokenBackend) Sense() (kernels.Reading, error) {
	if b.Device().Backend == "cpu" {
		return kernels.Reading{}, errNoSensors
	}
	return testReading, nil
}
func (b *brokenBackend) Energy() float64        { return 0 }
func (b *brokenBackend) Source(k string) string { return "source of " + k }
func (b *brokenBackend) Roof() (kernels.Roof, error) {
	if b.index == roofless {
		time.Sleep(time.Hour)
	}
	return kernels.Roof{Read: 10, Copy: 9, Triad: 8}, nil
}
func (b *brokenBackend) Load(p *kernels.Problem) error {
	if b.index == fallsLoading {
		os.WriteFile(os.Getenv("SPMVTUNE_TEST_FALLEN"), nil, 0o666)
		return errors.New("unspecified launch failure")
	}
	b.p = p
	return nil
}
func (b *brokenBackend) Close() error { return nil }
func (b *brokenBackend) Prepare(c kernels.Config, _ kernels.Options) (kernels.Product, error) {
	if b.prepared++; b.index == fallsOff && b.prepared == 2 {
		os.WriteFile(os.Getenv("SPMVTUNE_TEST_FALLEN"), nil, 0o666)
		os.Exit(7)
	}
	if c.Block == refuse {
		return nil, &kernels.InvalidError{Reason: "this device can't"}
	}
	return &brokenProduct{p: b.p, block: c.Block, y: make([]float64, b.p.A.Rows)}, nil
}

type brokenProduct struct {
	p     *kernels.Problem
	block int
	runs  int
	y     []float64
}

func (p *brokenProduct) Info() kernels.ProductInfo {
	if p.block == tooFast { // 20 MB in a millisecond, where the roof is 10 GB/s
		return kernels.ProductInfo{BytesFormat: 20e6, BytesKernel: 20e6}
	}
	return kernels.ProductInfo{BytesFormat: 100, BytesKernel: 200}
}

func (p *brokenProduct) Sample(dst []float64, batch int, cold bool) error {
	for i := range dst {
		dst[i] = 1e-3 + float64(i%3)*1e-6
		switch {
		case p.block == crawl:
			dst[i] *= 10 + float64(i%2)
		case p.block >= valley:
			dst[i] *= 1 + 0.05*math.Abs(float64(p.block-valley-17))
		}
	}
	return p.Multiply(nil)
}

func (p *brokenProduct) Poison() error {
	for i := range p.y {
		p.y[i] = math.NaN()
	}
	return nil
}

func (p *brokenProduct) Result(y []float64) error {
	copy(y, p.y)
	if p.block == writeBeside {
		return &kernels.OverrunError{Array: "y"}
	}
	return nil
}

func (p *brokenProduct) Multiply(x []float64) error {
	y := p.y
	if x == nil {
		x = p.p.X
	}
	for i := range y {
		cols, vals := p.p.A.Row(i)
		y[i] = 0
		for k, c := range cols {
			y[i] += vals[k] * x[c]
		}
	}
	p.runs++
	if leftBehind && p.block != leaveBehind {
		os.Exit(9)
	}
	switch p.block {
	case leaveBehind:
		leftBehind = true
	case workOnce: // as with a counter of work that is never set back
		if p.runs > 1 {
			clear(y)
		}
	case giveWrongSum:
		y[3] *= 1.001
	case leaveRowUnwritten:
		y[5] = math.NaN()
	case panicInKernel:
		panic("index out of range [7] with length 3")
	case panicInThread:
		go func() { panic("thread went astray") }()
		time.Sleep(time.Minute)
	case exitQuietly:
		os.Exit(7)
	case hang:
		select {}
	case exhaustMemory:
		if raceDetector { // it can't live within a limit: say what the runtime says without it
			fmt.Fprintln(os.Stderr, "fatal error: runtime: cannot allocate memory: out of memory")
			os.Exit(2)
		}
		// As under a limit on the job's memory: the allocation itself fails.
		if err := syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: 1 << 30, Max: 1 << 30}); err != nil {
			return err
		}
		y[0] = float64(make([]byte, 1<<36)[len(y)])
	case failOnDevice:
		return errors.New("an illegal memory access was encountered")
	case diesOutside: // once the test has taken away the file
		file := os.Getenv("SPMVTUNE_TEST_ALIVE")
		if err := os.WriteFile(file, nil, 0o666); err != nil {
			return err
		}
		for _, err := os.Stat(file); err == nil; _, err = os.Stat(file) {
			time.Sleep(time.Millisecond)
		}
		return syscall.Kill(os.Getpid(), syscall.SIGKILL)
	case printAndCrash:
		fmt.Println("library: device lost")
		os.Exit(134)
	}
	return nil
}
