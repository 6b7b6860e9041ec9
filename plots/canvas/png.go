package canvas

import (
	"bufio"
	"compress/zlib"
	"encoding/binary"
	"hash/crc32"
	"image"
	"io"
)

// encodePNG writes an opaque image as PNG. It stores each row as its difference from the row
// above, which suits drawings: most rows repeat the one above. To try every filter on every row,
// as image/png does, takes three times as long and saves little.
func encodePNG(w io.Writer, img *image.RGBA) error {
	size := img.Bounds().Size()
	header := binary.BigEndian.AppendUint32(nil, uint32(size.X))
	header = binary.BigEndian.AppendUint32(header, uint32(size.Y))
	header = append(header, 8, 2, 0, 0, 0) // 8 bits of red, green and blue

	if _, err := io.WriteString(w, "\x89PNG\r\n\x1a\n"); err != nil {
		return err
	}
	if err := writeChunk(w, "IHDR", header); err != nil {
		return err
	}
	pixels := bufio.NewWriterSize(chunks{w}, 1<<16)
	if err := writeRows(pixels, img); err != nil {
		return err
	}
	if err := pixels.Flush(); err != nil {
		return err
	}
	return writeChunk(w, "IEND", nil)
}

// writeRows compresses the rows of an image.
func writeRows(w io.Writer, img *image.RGBA) error {
	const up = 2 // The filter that subtracts the row above.
	z, err := zlib.NewWriterLevel(w, zlib.BestSpeed)
	if err != nil {
		return err
	}
	size := img.Bounds().Size()
	above, line := make([]byte, 4*size.X), make([]byte, 1+3*size.X)
	line[0] = up

	for y := range size.Y {
		row := img.Pix[y*img.Stride:][:4*size.X]
		for from, to := 0, 1; from < len(row); from, to = from+4, to+3 {
			a, b, out := row[from:from+3:from+3], above[from:from+3:from+3], line[to:to+3:to+3]
			out[0], out[1], out[2] = a[0]-b[0], a[1]-b[1], a[2]-b[2]
		}
		above = row
		if _, err := z.Write(line); err != nil {
			return err
		}
	}

	return z.Close()
}

// chunks writes data as chunks of pixels.
type chunks struct{ w io.Writer }

func (c chunks) Write(p []byte) (int, error) { return len(p), writeChunk(c.w, "IDAT", p) }

// writeChunk writes a chunk with its length and checksum.
func writeChunk(w io.Writer, kind string, content []byte) error {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(content)))
	b = append(append(b, kind...), content...)
	b = binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
	_, err := w.Write(b)
	return err
}
