package store

import "testing"

// File systems are told by the numbers of statfs(2), and of their own sources.
func TestNetworkFileSystems(t *testing.T) {
	for name, magic := range map[string]uint32{"NFS": 0x6969, "SMB": 0x517b, "CIFS": 0xff534d42, "SMB 2": 0xfe534d42,
		"FUSE": 0x65735546, "Ceph": 0x00c36400, "AFS": 0x5346414f, "9P": 0x01021997, "Coda": 0x73757245,
		"Lustre": 0x0bd00bd0, "GPFS": 0x47504653, "BeeGFS": 0x19830326, "PanFS": 0xaad7aaea, "OrangeFS": 0x20030528,
		"GFS2": 0x01161970, "OCFS2": 0x7461636f} {
		if !networkMagic[magic] {
			t.Errorf("%s is taken for a local disk", name)
		}
	}
	for name, magic := range map[string]uint32{"ext4": 0xef53, "XFS": 0x58465342, "Btrfs": 0x9123683e, "tmpfs": 0x01021994,
		"overlay": 0x794c7630} {
		if networkMagic[magic] {
			t.Errorf("%s is taken for a network file system", name)
		}
	}
}
