package serve

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// How willingly the server and what draws give way to others, as nice counts.
const (
	ServingNice = 10
	DrawingNice = 19
)

// GiveWay makes all of this process give way to others.
func GiveWay(nice int) {
	// Linux keeps it by thread, and new threads take it from the one that starts them. It is no harm
	// if it fails.
	tasks, err := os.ReadDir("/proc/self/task")
	if err != nil {
		_ = unix.Setpriority(unix.PRIO_PROCESS, 0, nice)
		return
	}
	for _, t := range tasks {
		if id, err := strconv.Atoi(t.Name()); err == nil {
			_ = unix.Setpriority(unix.PRIO_PROCESS, id, nice)
		}
	}
}

const (
	drawTime   = 10 * time.Minute // for the figures of a million trials
	mostDrawn  = 256 << 20        // bytes of all pictures
	mostReason = 4 << 10          // bytes of an error
)

// DrawElsewhere draws with a process of its own, which is the program with these arguments and the
// path of the database: it writes a Drawing as JSON.
func DrawElsewhere(program string, args ...string) func(context.Context, string) (*Drawing, error) {
	return func(ctx context.Context, database string) (*Drawing, error) {
		ctx, cancel := context.WithTimeout(ctx, drawTime)
		defer cancel()
		cmd := exec.CommandContext(ctx, program, append(args, database)...)
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		cmd.WaitDelay = time.Second
		var out, reason bytes.Buffer
		cmd.Stdout, cmd.Stderr = &most{&out, mostDrawn}, &most{&reason, mostReason}
		if err := cmd.Run(); err != nil {
			said, _, _ := strings.Cut(reason.String(), "\n")
			if said = strings.TrimPrefix(said, "error: "); said != "" {
				err = errors.New(said)
			}
			return nil, fmt.Errorf("drawing: %w", err)
		}
		var d Drawing
		if err := json.Unmarshal(out.Bytes(), &d); err != nil {
			return nil, fmt.Errorf("drawing: %w", err)
		}
		return &d, nil
	}
}

// most is a writer that takes so many bytes.
type most struct {
	w    io.Writer
	left int
}

func (m *most) Write(p []byte) (int, error) {
	if m.left -= len(p); m.left < 0 {
		return 0, errors.New("the pictures are too large")
	}
	return m.w.Write(p)
}
