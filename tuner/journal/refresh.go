package journal

import "os"

// Refresh makes the next listing of a folder show what is in it now, as far as possible. A
// client of a network file system caches listings for up to a minute, and also that a file
// is not there. It asks the server again once it has changed the folder itself. Therefore
// Refresh makes and removes a file whose name is not a journal's. It does nothing if the
// folder can't be written.
func Refresh(dir string) {
	f, err := os.CreateTemp(dir, ".refresh-*")
	if err != nil {
		return
	}
	f.Close()
	os.Remove(f.Name())
}
