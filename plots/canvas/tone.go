package canvas

import "image/color"

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
