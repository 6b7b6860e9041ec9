package canvas

import "testing"

// Words on a cell are legible on paper and in the dark, and more is always darker on paper and
// lighter in the dark.
func TestHeat(t *testing.T) {
	darkInk := solid(0xE6E9ED)
	for step := range HeatSteps {
		tone := Heat(step)
		light, dark := InkColor, darkInk
		if OnHeat(8, false, step).Color == PaperColor {
			light, dark = PaperColor, darkPaper
		}
		if c := contrast(tone.Light, light); c < 3 {
			t.Errorf("step %d: %.2f to 1 on paper", step, c)
		}
		if c := contrast(tone.Dark, dark); c < 3 {
			t.Errorf("step %d: %.2f to 1 in the dark", step, c)
		}
		if step == 0 {
			continue
		}
		last := Heat(step - 1)
		if luminance(linear(tone.Light)) >= luminance(linear(last.Light)) ||
			luminance(linear(tone.Dark)) <= luminance(linear(last.Dark)) {
			t.Errorf("step %d is not further than the one before", step)
		}
	}
	if HeatStep(0) != 0 || HeatStep(1) != HeatSteps-1 || HeatStep(-1) != 0 || HeatStep(2) != HeatSteps-1 {
		t.Error("the ends of the scale")
	}
}
