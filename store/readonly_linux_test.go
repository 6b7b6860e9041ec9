// SPDX-License-Identifier: Apache-2.0

package store

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"

	"example.org/spmvtune/internal/testing/testkit"
)

// asNobody runs f without root's right to write everywhere: in a thread with
// the file-system identity of "nobody".
func asNobody(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Run("unprivileged", func(t *testing.T) {
		if os.Geteuid() == 0 {
			runtime.LockOSThread() // never unlocked: the thread ends with the test
			const nobody = 65534
			if err := unix.Setfsuid(nobody); err != nil {
				t.Skip("can't give up root's rights: ", err)
			}
		}
		f(t)
	})
}

// frozen makes a folder of the files that a killed writer leaves, or those of a
// closed database, and takes away the right to write there.
func frozen(t *testing.T, killed bool, drop ...string) string {
	t.Helper()
	db := started(t)
	record(t, db, good("cpu_csr", 32))
	dir := testkit.Must(os.MkdirTemp("", "frozen")) // t.TempDir can't be entered by others
	t.Cleanup(func() {
		os.Chmod(dir, 0o700)
		os.RemoveAll(dir)
	})
	if !killed {
		testkit.Succeed(t, db.Close())
		db.write, db.read = nil, nil
	}
	files := testkit.Must(filepath.Glob(db.Path() + "*"))
	for _, f := range files {
		data := testkit.Must(os.ReadFile(f))
		testkit.Succeed(t, os.WriteFile(filepath.Join(dir, filepath.Base(f)), data, 0o444))
	}
	path := filepath.Join(dir, filepath.Base(db.Path()))
	for _, suffix := range drop {
		testkit.Succeed(t, os.Remove(path+suffix))
	}
	testkit.Succeed(t, os.Chmod(dir, 0o555))
	return path
}

func TestOpenReadOnlyInFrozenFolder(t *testing.T) {
	for _, tt := range []struct {
		name   string
		killed bool
	}{{"closed", false}, {"killed", true}} {
		t.Run(tt.name, func(t *testing.T) {
			path := frozen(t, tt.killed)
			asNobody(t, func(t *testing.T) {
				err := os.WriteFile(path+".probe", nil, 0o666)
				testkit.Require(t, err != nil, "the folder can be written")
				db := testkit.Must(OpenReadOnly(path))
				defer db.Close()
				gives(t, db, "SELECT count(*) FROM results", int64(1), "results")
			})
		})
	}
}

// A log without its index can't be read where no index can be made. The file
// alone would be an old state, so it is not shown.
func TestOpenReadOnlyRefusesOldState(t *testing.T) {
	path := frozen(t, true, "-shm")
	asNobody(t, func(t *testing.T) {
		testkit.Fails(t, testkit.Err(OpenReadOnly(path)), filepath.Base(path)+"-wal: copy both files to a writable folder")
	})
}

// File systems are told by the numbers of statfs(2), and of their own sources.
func TestNetworkFileSystems(t *testing.T) {
	for name, magic := range map[string]uint32{"NFS": 0x6969, "SMB": 0x517b, "CIFS": 0xff534d42, "SMB 2": 0xfe534d42,
		"FUSE": 0x65735546, "Ceph": 0x00c36400, "AFS": 0x5346414f, "9P": 0x01021997, "Coda": 0x73757245,
		"Lustre": 0x0bd00bd0, "GPFS": 0x47504653, "BeeGFS": 0x19830326, "PanFS": 0xaad7aaea, "OrangeFS": 0x20030528,
		"GFS2": 0x01161970, "OCFS2": 0x7461636f} {
		testkit.Check(t, networkMagic[magic], "%s is taken for a local disk", name)
	}
	for name, magic := range map[string]uint32{"ext4": 0xef53, "XFS": 0x58465342, "Btrfs": 0x9123683e, "tmpfs": 0x01021994,
		"overlay": 0x794c7630} {
		testkit.Check(t, !networkMagic[magic], "%s is taken for a network file system", name)
	}
}
