package journal

import "os"

// Refresh makes the next listing of a folder show what is in it now, as far as it
// can. A client of a network file system keeps listings, and also that a file is not
// there, for up to a minute; it asks the server again once it has changed the folder
// itself. So a file is made and removed, whose name is not a journal's. Where the
// folder can't be written, Refresh does nothing.
func Refresh(dir string) {
	f, err := os.CreateTemp(dir, ".refresh-*")
	if err != nil {
		return
	}
	f.Close()
	os.Remove(f.Name())
}
