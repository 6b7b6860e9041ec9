package fetch

import "time"

// A State is the stage of a download.
type State int

const (
	Waiting     State = iota // for another process, which downloads the same matrix
	Downloading              // bytes are coming
	Retrying                 // waiting before the next try, because of Err
	Checking                 // all bytes are here; they are being read
	Done                     // the file has its name
)

// Progress says how a download goes.
type Progress struct {
	ID    ID
	State State
	URL   string        // "" while Waiting
	Have  int64         // bytes of the partial file
	Size  int64         // bytes in all, -1 if it is not known
	Err   error         // of Retrying
	Pause time.Duration // of Retrying: until the next try
}

func (c *Collection) notify(p Progress) {
	if c.Notify != nil {
		c.Notify(p)
	}
}
