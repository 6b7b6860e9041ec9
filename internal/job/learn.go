package job

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"spmvtune/configs"
	"spmvtune/rule"
	"spmvtune/store"
)

// Learn returns the rule that the results teach, nil if no trial is verified.
func (j *Job) Learn(ctx context.Context) (*rule.Rule, error) {
	seen, err := j.Observations(ctx)
	if err != nil {
		return nil, err
	}

	opt := rule.DefaultOptions
	opt.Test = j.TestClasses()
	learned, err := rule.Learn(ctx, seen, opt)
	if errors.Is(err, rule.ErrNoData) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("learning the rule: %w", err)
	}

	return learned, nil
}

// TestClasses are the classes of matrices that the sweeps keep for a final test.
func (j *Job) TestClasses() []string {
	var list []string
	for _, s := range j.sweeps {
		for _, class := range configs.LearnOf([]byte(s.Text)).Test {
			if !slices.Contains(list, class) {
				list = append(list, class)
			}
		}
	}
	return list
}

// saveRule keeps a rule in the database.
func (j *Job) saveRule(ctx context.Context, r *rule.Rule) error {
	var text bytes.Buffer
	if err := r.WriteJSON(&text); err != nil {
		return err
	}
	return j.db.SaveRule(ctx, store.SavedRule{Sweep: r.Sweep, Learned: time.Now(), JSON: text.Bytes()})
}
