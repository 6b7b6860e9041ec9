package program

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os/exec"
	"strconv"

	"spmvtune/internal/base/files"
	"spmvtune/kernels"
)

// Placeholders are the names that stand for something in a command. Those of a configuration have
// their values.
func Placeholders(o kernels.Own, c kernels.Config) map[string]string {
	values := map[string]string{
		"matrix": "", "x": "", "y": "", "cache": "", "rows": "", "cols": "", "nonzeros": "",
		"block": strconv.Itoa(c.Block), "grid": strconv.Itoa(c.Grid), "precision": string(c.Precision),
		"params": string(c.Params),
	}
	for _, p := range o.Params {
		values[p.Name] = o.Setting(c.Params, p.Name)
	}
	return values
}

// Source returns a SHA-256, in hexadecimal, over a command and the content of each file that it
// names. A program that is not there fails when it is run.
func Source(o kernels.Own) string {
	path, _ := exec.LookPath(o.Command[0])
	h := sha256.New()
	fmt.Fprintln(h, o.Digest())
	for _, word := range append([]string{path}, o.Command[1:]...) {
		f, err := files.Open(word)
		if err != nil {
			continue // no file
		}
		_, err = io.Copy(h, f)
		if f.Close(); err != nil {
			fmt.Fprintln(h, "unreadable") // a folder
		}
	}
	return hex.EncodeToString(h.Sum(nil))
}
