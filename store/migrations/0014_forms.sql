-- The papers' names belong to the papers' own forms from now on. What was measured before
-- under these names were forms of ours, which fetch several products at a time; what was
-- measured elsewhere keeps its name.
UPDATE kernel SET name = name || '_ahead', paper = '' WHERE digest <> 'imported' AND name IN (
  'csr_scalar', 'csr_vector', 'csr_warp_row_global', 'csr_warp_row_shuffle', 'csr_thread_row', 'csr_warp_row', 'csr_bins');
