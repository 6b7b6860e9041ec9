package cluster

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"spmvtune/internal/base/term"
	"spmvtune/internal/cli/hardware"
	"spmvtune/internal/cli/show"
	"spmvtune/tuner"
)

// A taskLog is the log of a task.
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

// A progressLog logs how far a run of the tuner is.
type progressLog struct {
	log *taskLog

	mu       sync.Mutex // there may be several GPUs
	matrices int
	begun    int    // begun counts the matrices that were begun, or shares of them.
	matrix   string // matrix is the name of the last one.
	planned  int    // planned counts their trials,
	done     int    // done those that are recorded,
	measured int    // and measured those that this run has measured.

	tenths int // tenths is the progress that was reported last.
	said   time.Time
	every  time.Duration
}

func (l *progressLog) printf(format string, args ...any) {
	l.log.printf(format, args...)
	l.said = time.Now()
}

// Observe logs an event of the run.
func (l *progressLog) Observe(e tuner.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case e.Started != nil:
		l.matrices, l.every = e.Started.Matrices, logEvery
		l.printf("device: %s", show.Devices(*e.Started))
		if why := e.Started.NoSensors; why != "" {
			l.printf("note: %s", show.Unsensed(why))
		}
	case e.Failure != nil:
		l.printf("%s: %v", e.Failure.Skips(), hardware.InWords(e.Failure.Err))
	case show.Noted(e) != "":
		l.printf("note: %s", show.Noted(e))
	case e.Gone != nil:
		l.printf("%s", show.Gone(*e.Gone))
	case e.Matrix != nil:
		l.begun, l.matrix = e.Matrix.Index+1, e.Matrix.Matrix.Name
		if !e.Matrix.Again {
			l.planned += e.Matrix.Trials
			l.done += e.Matrix.Finished
		}
		if l.matrices <= mostLogged {
			l.printf("%s (%d of %d): %s, %d measured already", l.matrix, l.begun, l.matrices,
				term.Trials(e.Matrix.Trials), e.Matrix.Finished)
		}
	case e.Result != nil:
		l.done++
		l.measured++
	}

	if l.measured > 0 {
		l.progress()
	}
}

// progress logs how far the run is, when it is time. How many trials there are is an estimate until the
// last matrix is planned.
func (l *progressLog) progress() {
	total := max(l.planned*l.matrices/l.begun, l.done)
	tenths := logTenths * l.done / total
	late := time.Since(l.said) >= l.every
	if tenths <= l.tenths && !late {
		return
	}
	if late {
		l.every += logEvery
	}
	l.tenths = max(tenths, l.tenths)
	l.printf("%d%%: %s measured, %d of %d done, %s the last matrix so far", 100*l.tenths/logTenths,
		term.Trials(l.measured), l.done, total, l.matrix)
}
