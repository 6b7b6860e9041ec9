package file

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// TestRefuseMalformedFiles holds every broken file to an error that names the
// file and a line, under every option.
func TestRefuseMalformedFiles(t *testing.T) {
	folder := sharedFolder(t, "malformed")
	for _, want := range index(t, folder) {
		for _, opt := range []Options{DefaultOptions, {Expand: false}, {Expand: true, Complex: RealPart}} {
			path := filepath.Join(folder, want["file"])
			m, err := Read(t.Context(), path, opt)
			var e *Error
			switch {
			case err == nil:
				t.Errorf("%s (%s): read as %v with %+v", want["file"], want["what_is_wrong"], m.A, opt)
			case !errors.As(err, &e):
				t.Errorf("%s: %v is not an *Error", want["file"], err)
			case e.File != path || e.Line < 1 || e.Reason == "" || !strings.HasPrefix(err.Error(), path+":"):
				t.Errorf("%s: incomplete error %#v", want["file"], e)
			}

			if opt.Complex != "" {
				t.Logf("%v", strings.TrimPrefix(err.Error(), folder+"/"))
			}
		}
	}
}
