package cluster

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"spmvtune/internal/cli/hardware"
	"spmvtune/internal/cli/show"
	"spmvtune/internal/term"
	"spmvtune/tuner"
)

// A taskLog is the log of a task. Several workers may write to it.
type taskLog struct {
	mu sync.Mutex
	w  io.Writer
}

// printf writes a line with the time.
func (l *taskLog) printf(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprintf(l.w, time.Now().Format(time.DateTime)+" "+format+"\n", args...)
}

// summary says what a task did.
func (l *taskLog) summary(sum tuner.Summary) {
	var text bytes.Buffer
	show.Summary(&text, sum)
	for line := range strings.Lines(text.String()) {
		l.printf("%s", strings.TrimSuffix(line, "\n"))
	}
}

// A task reports its progress with every tenth of its work, and after some time without. That
// time grows, so that the log of a day has some dozens of lines.
const (
	logTenths = 10
	// logEvery is the first such time, and its growth.
	logEvery = time.Minute
	// mostLogged is the largest number of matrices whose names are logged when they begin.
	mostLogged = 20
)

// A laneLog logs how far a run of the tuner is.
type laneLog struct {
	log  *taskLog
	name string // name begins the lines: "gpu 1: ".

	matrices int
	index    int    // index is the number of the current matrix, from 0.
	matrix   string // matrix is its name.
	trials   int    // trials is the number of its trials.
	done     int    // done counts the trials that are recorded already.
	measured int    // measured counts the trials of this run, of all matrices.

	tenths int // tenths is the progress that was reported last.
	said   time.Time
	every  time.Duration
}

func (l *laneLog) printf(format string, args ...any) {
	l.log.printf("%s%s", l.name, fmt.Sprintf(format, args...))
	l.said = time.Now()
}

// observe logs an event of the run.
func (l *laneLog) Observe(e tuner.Event) {
	switch {
	case e.Started != nil:
		l.matrices, l.every = e.Started.Matrices, logEvery
		l.printf("device: %s", e.Started.Device)
		if why := e.Started.NoSensors; why != "" {
			l.printf("note: %s", show.Unsensed(why))
		}
	case e.Failure != nil:
		l.printf("%s: %v", e.Failure.Skips(), hardware.InWords(e.Failure.Err))
	case e.Matrix != nil:
		l.index, l.matrix, l.trials, l.done = e.Matrix.Index, e.Matrix.Matrix.Name, e.Matrix.Trials, e.Matrix.Finished
		if l.matrices <= mostLogged {
			l.printf("%s (%d of %d): %s, %d measured already", l.matrix, l.index+1, l.matrices, term.Trials(l.trials),
				l.done)
		}
	case e.Result != nil:
		l.done++
		l.measured++
	}

	if l.measured > 0 {
		l.Progress()
	}
}

// progress logs how far the run is, when it is time.
func (l *laneLog) Progress() {
	of := max(l.trials, 1)
	tenths := logTenths * (l.index*of + min(l.done, of)) / (l.matrices * of)
	late := time.Since(l.said) >= l.every
	if tenths <= l.tenths && !late {
		return
	}
	if late {
		l.every += logEvery
	}
	l.tenths = max(tenths, l.tenths)
	l.printf("%d%%: %s measured, %d of %d of %s done",
		100*l.tenths/logTenths, term.Trials(l.measured), l.done, l.trials, l.matrix)
}
