package canvas

// kernelLooks has a row for each kernel of the catalogue, by family. A family has a range of
// hues. No row changes, so that pictures of different versions agree. Kernels that a shipped
// sweep compares differ in colour, and those whose colours are close for readers who see no
// green, or in print without colours, differ in marker; TestKernelsDiffer says by how much.
var kernelLooks = []struct {
	kernel string
	color  Tone
	marker shape
}{
	// COO, a thread or a warp a chunk.
	{"cpu_coo", tone(0x483002, 0x926407), square},
	{"cpu_coo_chunks", tone(0xE35427, 0xFDAA8E), plus},
	{"coo_atomic", tone(0xA97009, 0xF7A617), diamond},
	{"coo_thread_chunk", tone(0x792C03, 0xD7540B), circle},
	{"coo_grid_stride", tone(0x755004, 0xC0860C), triangle},
	{"coo_warp_chunk", tone(0xDB770B, 0xFEC090), saltire},
	{"coo_block_chunk", tone(0xB43704, 0xFD7541), trefoil},

	// COO, prefix sums.
	{"coo_scan_shared", tone(0xFC5373, 0xFEBBC0), plus},
	{"coo_segscan_shared", tone(0x890706, 0xE1402C), square},
	{"coo_blelloch", tone(0xD6193C, 0xFD8484), right},
	{"coo_blelloch_padded", tone(0x97095C, 0xF4369C), quadrangle},
	{"coo_scan_warp", tone(0xA90B39, 0xFC4E6C), saltire},
	{"coo_segscan_warp", tone(0xF0523B, 0xFDB1A0), lying},
	{"coo_scan_block", tone(0xED3598, 0xFDA4CA), circle},
	{"coo_segscan_block", tone(0x6D0427, 0xD51154), pentagram},
	{"coo_scan_warp_chunk", tone(0xDC126C, 0xFD89A8), square},
	{"coo_segscan_warp_chunk", tone(0x730512, 0xD72430), standing},
	{"coo_segscan_warp_chunk_unroll", tone(0x9E0A4C, 0xFC3984), tip},

	// CSR, a thread a row.
	{"cpu_csr", tone(0x053D59, 0x1279AB), tip},
	{"cpu_csr_rows", tone(0x199AD7, 0x9BD2FD), saltire},
	{"csr_scalar", tone(0x0D648E, 0x1BA2E2), pentagram},
	{"csr_scalar_ahead", tone(0x054A50, 0x118993), square},
	{"csr_pcsr", tone(0x159AA2, 0x22DBE6), quadrangle},
	{"csr_thread_row_v1", tone(0x0B6B71, 0x18ABB4), circle},
	{"csr_thread_row", tone(0x1481B6, 0x5ABDFD), left},
	{"csr_thread_row_ahead", tone(0x117F9B, 0x1FBFE7), plus},

	// CSR, a warp a row.
	{"csr_vector", tone(0x1154BA, 0x6C8DFC), standing},
	{"csr_vector_ahead", tone(0x073A78, 0x1872DF), diamond},
	{"csr_light", tone(0x1E2096, 0x6D57DC), tip},
	{"csr_light_warp", tone(0x9A7BFC, 0xD6C3FD), plus},
	{"csr_warp_row_global", tone(0x4D3AB6, 0x9173FB), plus},
	{"csr_warp_row_shuffle", tone(0x043758, 0x1272AE), saltire},
	{"csr_warp_row_shuffle_ahead", tone(0x1E7DFB, 0xAAB9FD), trefoil},
	{"csr_warp_row_tile", tone(0x0E669B, 0x1DA3F4), square},
	{"csr_block_tile", tone(0x1B98E3, 0xA7D0FD), diamond},
	{"csr_warp_row_v1", tone(0x093287, 0x4166EB), square},
	{"csr_warp_row", tone(0x4D5DDD, 0xA09BFC), quadrangle},
	{"csr_lanes", tone(0x6C65E8, 0xB5A6FD), right},
	{"csr_warp_row_ahead", tone(0x1368BF, 0x71A2FC), lying},

	// CSR, equal shares or bins of rows.
	{"cpu_csr_merge", tone(0x5F24A0, 0xA260E5), circle},
	{"csr_adaptive", tone(0xBC0F92, 0xFC68CE), circle},
	{"csr_bins_v1", tone(0xF74BB3, 0xFEB8DB), tip},
	{"csr_bins", tone(0x810D94, 0xC556D7), right},
	{"csr_bins_ahead", tone(0x9F47C6, 0xDB8AFC), saltire},
	{"csr_hybrid_v1", tone(0x680448, 0xCC1191), diamond},
	{"csr_hybrid", tone(0xCA48C1, 0xFD95F2), standing},
	{"csr_merge", tone(0x71066C, 0xC23BBA), triangle},
	{"csr_merge_warp", tone(0xAB69EC, 0xDCB4FD), pentagram},
	{"csr_stream", tone(0xA10B6F, 0xF745B2), saltire},

	// SELL and tiles.
	{"cpu_sell", tone(0x0C7269, 0x18B3A5), diamond},
	{"sell_c_sigma", tone(0x044A2D, 0x0F8A58), plus},
	{"sell_blocks", tone(0x437E08, 0x71BE2A), tip},
	{"sell_diagonals", tone(0x075D22, 0x139F40), right},
	{"sell_hot", tone(0x13A05A, 0x20E382), tip},
	{"sell_local", tone(0x564B03, 0x97850A), triangle},
	{"panel_sell", tone(0x2C3902, 0x5C7607), circle},
	{"csr_narrow", tone(0xA2920D, 0xE4CE25), plus},

	// cuSPARSE: black and greys.
	{"cusparse_csr_alg1", tone(0x1F1F1F, 0xEBEBEB), triangle},
	{"cusparse_csr_alg2", tone(0x474747, 0xC3C3C3), trefoil},
	{"cusparse_coo_alg1", tone(0x616161, 0xAFAFAF), diamond},
	{"cusparse_coo_alg2", tone(0x797979, 0x989898), triangle},
	{"cusparse_sell", tone(0x919191, 0x7F7F7F), saltire},
	{"cusparse_bsr", tone(0x080808, 0xFFFFFF), square},
	{"cusparse_spmvop", tone(0x353535, 0xD7D7D7), tip},
}

// looksOfKernels has the index of each kernel's row.
var looksOfKernels = func() map[string]int {
	rows := map[string]int{}
	for i := range kernelLooks {
		rows[kernelLooks[i].kernel] = i
	}
	return rows
}()
