package canvas

import (
	"hash/fnv"
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// A Look is how a kernel is drawn. It is the same in every figure and in every version of
// the program: it depends neither on what else is drawn nor on the kernel's row in the
// catalogue.
type Look struct {
	Color  color.Color
	Marker marker
	Dashes []vg.Length
	Hollow bool // The marker is an outline.
	Phase  int  // Phase shifts the markers along a line, so that markers of close lines stay apart.
}

// LookOf returns how the kernel is drawn. That of a kernel which is not in the catalogue, such
// as a user's own, follows from its name.
func LookOf(kernel string) Look {
	i, known := looksOfKernels[kernel]
	if !known {
		h := fnv.New32a()
		h.Write([]byte(kernel))
		n := int(h.Sum32() % uint32(len(Hues)*len(Markers)))
		return Look{Color: Hues[n%len(Hues)], Marker: Markers[n/len(Hues)], Phase: n}
	}
	row := &kernelLooks[i]
	return Look{Color: row.color, Marker: Markers[row.marker], Phase: i}
}

// Shade returns the look of the i-th of n variants of a kernel: its colour, from strong to
// plain, and the next marker.
func Shade(kernel string, i, n int) Look {
	l := LookOf(kernel)
	if t, ok := l.Color.(Tone); ok {
		part := 0.6 * (1 - float64(i)/float64(max(1, n-1)))
		l.Color = t.toward(color.RGBA{A: 0xFF}, PaperColor, part)
	}
	l.Marker = Markers[(l.Phase+i)%simpleMarkers]
	return l
}

// mix returns the colour that lies the fraction t of the way from a to b.
func mix(a, b color.RGBA, t float64) color.RGBA {
	between := func(x, y uint8) uint8 { return uint8(math.Round(float64(x) + t*(float64(y)-float64(x)))) }
	return color.RGBA{between(a.R, b.R), between(a.G, b.G), between(a.B, b.B), 0xFF}
}

// Mark draws the marker at p.
func (l Look) Mark(c draw.Canvas, p vg.Point, radius vg.Length) {
	if l.Hollow {
		l.Marker.Outline(c, p, radius, l.Color)
		return
	}
	l.Marker.Draw(c, p, radius, l.Color)
}

// Line returns the style of a line of this width.
func (l Look) Line(width vg.Length) draw.LineStyle {
	return draw.LineStyle{Color: l.Color, Width: width, Dashes: l.Dashes}
}

// A marker is the outline of a plotting symbol, for a radius of 1. An empty one is a circle.
// All outlines have about the same area.
type marker []vg.Point

// A shape is the index of a marker.
type shape int

const (
	circle shape = iota
	square
	triangle
	diamond
	tip // a triangle on its tip
	plus
	saltire
	right // a triangle to the right
	pentagram
	lying // a bar
	left  // a triangle to the left
	quadrangle
	standing // a bar
	trefoil
)

// Markers are all markers, by shape.
var Markers = [...]marker{
	circle:     nil,
	square:     polygon(4, math.Pi/4, 1.12),
	triangle:   polygon(3, math.Pi/2, 1.38),
	diamond:    polygon(4, 0, 1.28),
	tip:        polygon(3, -math.Pi/2, 1.38),
	plus:       cross(0),
	saltire:    cross(math.Pi / 4),
	right:      polygon(3, 0, 1.38),
	pentagram:  star(5),
	lying:      bar(1.5, 0.52),
	left:       polygon(3, math.Pi, 1.38),
	quadrangle: star(4),
	standing:   bar(0.52, 1.5),
	trefoil:    star(3),
}

// simpleMarkers is the number of markers that are told apart at once.
const simpleMarkers = int(saltire) + 1

// star returns a star with n points, one of which is at the top.
func star(n int) marker {
	tips, notches := polygon(n, math.Pi/2, 1.6), polygon(n, math.Pi/2+math.Pi/float64(n), 0.68)
	var m marker
	for i := range tips {
		m = append(m, tips[i], notches[i])
	}
	return m
}

// bar returns a rectangle of twice this width and height.
func bar(x, y vg.Length) marker {
	return marker{{X: x, Y: y}, {X: -x, Y: y}, {X: -x, Y: -y}, {X: x, Y: -y}}
}

// polygon returns a regular polygon with n corners, the first at this angle.
func polygon(n int, angle, radius float64) marker {
	m := make(marker, n)
	for i := range m {
		sin, cos := math.Sincos(angle + 2*math.Pi*float64(i)/float64(n))
		m[i] = vg.Point{X: vg.Length(radius * cos), Y: vg.Length(radius * sin)}
	}
	return m
}

// cross returns a fat plus sign, turned by an angle.
func cross(angle float64) marker {
	const arm, half = 1.25, 0.42
	corners := [...][2]float64{
		{half, arm}, {half, half}, {arm, half}, {arm, -half}, {half, -half}, {half, -arm},
		{-half, -arm}, {-half, -half}, {-arm, -half}, {-arm, half}, {-half, half}, {-half, arm},
	}

	sin, cos := math.Sincos(angle)
	m := make(marker, len(corners))
	for i, c := range corners {
		m[i] = vg.Point{X: vg.Length(c[0]*cos - c[1]*sin), Y: vg.Length(c[0]*sin + c[1]*cos)}
	}
	return m
}

// Draw fills the marker at p with a thin border in the colour of the paper, so
// that markers on top of each other stay apart.
func (m marker) Draw(c draw.Canvas, p vg.Point, radius vg.Length, fill color.Color) {
	path := m.path(p, radius)
	c.SetColor(fill)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: PaperColor, Width: radius / 5})
	c.Stroke(path)
}

// Outline draws the marker at p filled with the colour of the paper.
func (m marker) Outline(c draw.Canvas, p vg.Point, radius vg.Length, line color.Color) {
	path := m.path(p, radius*0.88)
	c.SetColor(PaperColor)
	c.Fill(path)
	c.SetLineStyle(draw.LineStyle{Color: line, Width: radius * 0.36})
	c.Stroke(path)
}

// path returns the marker's border.
func (m marker) path(p vg.Point, radius vg.Length) vg.Path {
	var path vg.Path
	if len(m) == 0 {
		path.Move(vg.Point{X: p.X + radius, Y: p.Y})
		path.Arc(p, radius, 0, 2*math.Pi)
	}

	for i, q := range m {
		corner := p.Add(q.Scale(radius))
		if i == 0 {
			path.Move(corner)
		} else {
			path.Line(corner)
		}
	}

	path.Close()
	return path
}

// A Tone is a colour of marks: on paper and light pages, and on dark pages. Both have a contrast
// of at least 3:1 there.
type Tone struct{ Light, Dark color.RGBA }

// RGBA is the colour on paper.
func (t Tone) RGBA() (r, g, b, a uint32) { return t.Light.RGBA() }

// tone makes a tone of two colours 0xRRGGBB.
func tone(light, dark uint32) Tone { return Tone{solid(light), solid(dark)} }

func solid(rgb uint32) color.RGBA {
	return color.RGBA{uint8(rgb >> 16), uint8(rgb >> 8), uint8(rgb), 0xFF}
}

// A faded colour lets through most of what is behind it.
type faded struct{ color.Color }

const fadedOpacity = 0x40

// RGBA is the colour on paper, with its opacity.
func (f faded) RGBA() (r, g, b, a uint32) {
	r, g, b, _ = f.Color.RGBA()
	const of = 0xFF
	return r * fadedOpacity / of, g * fadedOpacity / of, b * fadedOpacity / of, 0xFFFF * fadedOpacity / of
}

// Fade returns c with the opacity of a band.
func Fade(c color.Color) color.Color { return faded{c} }

// Hues are for what is no kernel, such as caches, devices and searches: six of Okabe and Ito's
// colours (Color Universal Design, 2008) and two dark ones of Tol's muted scheme
// (SRON/EPS/TN/09-002), the light ones darkened for their contrast with paper. Neighbours
// differ in lightness, so that they differ in grey too.
var Hues = [...]Tone{
	tone(0x0072B2, 0x4AA3DF), // blue
	tone(0xC47F00, 0xF0B32E), // orange
	tone(0x882255, 0xD9679F), // wine
	tone(0x00956C, 0x2FC497), // green
	tone(0x2B5FA8, 0x7FA8F0), // steel
	tone(0xD55E00, 0xF5833F), // vermilion
	tone(0x332288, 0x9A8FF0), // indigo
	tone(0xC2679A, 0xE5A6CA), // pink
}

// toward returns the tone that lies part of the way to these colours.
func (t Tone) toward(light, dark color.RGBA, part float64) Tone {
	return Tone{mix(t.Light, light, part), mix(t.Dark, dark, part)}
}

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
