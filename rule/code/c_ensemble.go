package code

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// cEnsemble writes an ensemble as tables and the loop over them.
func (p *program) cEnsemble(b *bytes.Buffer, f *function) {
	e := f.ensemble
	p.cDoc(b, f, "Where it is not sure, the tree chooses.")
	name := strings.Join(f.words, "_")
	fmt.Fprintf(b, "static inline const %[1]s_choice *%[1]s_%[2]s(const %[1]s_features *f)\n{\n", p.name, name)
	p.cChoices(b, f)
	row := func(kind, name string, n int, at func(i int) string) {
		fmt.Fprintf(b, "    static const %s %s[] = {%s};\n", kind, name, listed(n, at))
	}
	low, high := e.Bounds()
	row("double", "low", len(low), func(i int) string { return number(low[i]) })
	row("double", "high", len(high), func(i int) string { return number(high[i]) })
	row("double", "base", len(e.Base), func(i int) string { return number(e.Base[i]) })
	row("float", "scale", len(e.Trees), func(i int) string { return single(e.Trees[i].Scale) })

	splits := len(e.Trees[0].Feature)
	row("unsigned char", "feature", splits*len(e.Trees), func(i int) string {
		return strconv.Itoa(int(e.Trees[i/splits].Feature[i%splits]))
	})
	row("float", "threshold", splits*len(e.Trees), func(i int) string {
		return single(e.Trees[i/splits].Threshold[i%splits])
	})
	configs := len(e.Configs)
	row("signed char", "add", (splits+1)*configs*len(e.Trees), func(i int) string {
		leaf := i / configs
		return strconv.Itoa(int(e.Trees[leaf/(splits+1)].Add[leaf%(splits+1)][i%configs]))
	})

	f.cLegal(b)
	values := listed(len(e.Features), func(i int) string { return "f->" + e.Features[i] })
	fmt.Fprintf(b, `    const double value[] = {%[1]s};
    double sum[%[2]d];
    int i, t, best = -1;

    for (i = 0; i < %[3]d; i++)
        if (!(value[i] >= low[i] && value[i] <= high[i]))
            return %[4]s_%[5]s(f);
    for (i = 0; i < %[2]d; i++)
        sum[i] = base[i];
    for (t = 0; t < %[6]d; t++) {
        int at = 0;
        const signed char *leaf;
        while (at < %[7]d)
            at = 2 * at + 1 + !(value[feature[%[7]d * t + at]] <= threshold[%[7]d * t + at]);
        leaf = add + (%[8]d * t + at - %[7]d) * %[2]d;
        for (i = 0; i < %[2]d; i++)
            sum[i] += leaf[i] * (double)scale[t];
    }
    for (i = 0; i < %[2]d; i++)
        if (legal[i] && (best < 0 || sum[i] < sum[best]))
            best = i;
    if (best < 0)
        for (best = 0, i = 1; i < %[2]d; i++)
            if (sum[i] < sum[best])
                best = i;
    return &choice[best];
}
`, values, configs, len(e.Features), p.name, strings.Join(f.instead, "_"), len(e.Trees), splits, splits+1)
}

// listed writes a list that C reads, in lines of some length.
func listed(n int, at func(i int) string) string {
	var b strings.Builder
	line := 0
	for i := range n {
		s := at(i)
		if i > 0 {
			s = ", " + s
		}
		if line += len(s); line > 100 {
			b.WriteString(",\n        " + strings.TrimPrefix(s, ", "))
			line = len(s)
			continue
		}
		b.WriteString(s)
	}
	return b.String()
}

// single writes a number of single precision so that reading it gives the same bits.
func single(x float32) string {
	s := strconv.FormatFloat(float64(x), 'g', -1, 32)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s + "f"
}
