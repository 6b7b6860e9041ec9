package fetch

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/url"
	"time"

	"golang.org/x/sys/unix"
)

var (
	// ErrUnavailable is wrapped by errors that say that no server delivered the matrix, or that
	// no server may be asked. The matrix may well exist.
	ErrUnavailable = errors.New("it is not available")
	// ErrNotFound is wrapped by errors that say that there is no such matrix.
	ErrNotFound = errors.New("the collection has no such matrix")
)

// A trouble is the error of a try, with its meaning for the next one.
type trouble struct {
	err   error
	kind  kind
	after time.Duration // the server asks to wait that long
}

func (t *trouble) Error() string { return t.err.Error() }
func (t *trouble) Unwrap() error { return t.err }

type kind int

const (
	passing  kind = iota // try again
	unlinked             // no connection came about
	damaged              // what came is not the file
	slow                 // next to nothing came for a minute
	refused              // this server won't give it
	missing              // this server does not have it
)

// tries is how often a server is asked, as long as nothing comes.
func (k kind) tries() int {
	switch k {
	case passing:
		return 6
	case unlinked, damaged, slow:
		return 2
	default:
		return 1
	}
}

// network sorts an error of net/http.
func network(err error) *trouble {
	var redirect *redirectError
	var certificate *tls.CertificateVerificationError
	var op *net.OpError
	var request *url.Error // names the URL, as who reports it does
	if errors.As(err, &request) {
		err = request.Err
	}

	switch {
	case errors.As(err, &redirect), errors.As(err, &certificate):
		return &trouble{err: err, kind: refused}
	case errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect"):
		return &trouble{err: err, kind: unlinked}
	default:
		return &trouble{err: err}
	}
}

// diskError explains an error of writing in a folder.
func diskError(dir string, err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	remedy := "check the folder, or set SPMVTUNE_CACHE to another one"
	if errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) {
		remedy = "what came is kept, and the next try goes on from there: free some space, or set SPMVTUNE_CACHE to " +
			"a folder with more"
	}

	return fmt.Errorf("writing to %s: %w: %s", dir, err, remedy)
}
