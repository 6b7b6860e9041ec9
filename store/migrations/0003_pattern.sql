-- Where the entries of a matrix lie: what matrix-patterns draws. A table of its own,
-- so that listing matrices does not read it. Matrices that were recorded before have
-- no row, until their sweep runs again.
CREATE TABLE pattern (
  matrix INTEGER PRIMARY KEY REFERENCES matrix,
  data   BLOB NOT NULL          -- a sparse.Thumbnail: at most 17 kB
);
