// SPDX-License-Identifier: Apache-2.0

package store

import "golang.org/x/sys/unix"

// network reports whether the folder lies on a network or user-space file
// system, where memory shared between processes can't be relied on.
func network(dir string) bool {
	var fs unix.Statfs_t
	if err := unix.Statfs(dir, &fs); err != nil {
		return false // opening the file will say what is wrong
	}
	return networkMagic[uint32(fs.Type)]
}

// networkMagic are the types that statfs(2) gives for file systems that are
// shared between machines. Those that the system's headers do not name are from
// the file systems' own sources.
var networkMagic = map[uint32]bool{
	unix.NFS_SUPER_MAGIC:  true,
	unix.SMB_SUPER_MAGIC:  true,
	unix.CIFS_SUPER_MAGIC: true,
	unix.SMB2_SUPER_MAGIC: true,
	unix.FUSE_SUPER_MAGIC: true,
	unix.CEPH_SUPER_MAGIC: true,
	unix.AFS_SUPER_MAGIC:  true,
	unix.V9FS_MAGIC:       true,
	unix.CODA_SUPER_MAGIC: true,
	0x0bd00bd0:            true, // Lustre
	0x47504653:            true, // GPFS
	0x19830326:            true, // BeeGFS
	0xaad7aaea:            true, // PanFS
	0x20030528:            true, // OrangeFS
	0x01161970:            true, // GFS2
	0x7461636f:            true, // OCFS2
}
