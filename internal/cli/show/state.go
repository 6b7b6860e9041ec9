package show

import "spmvtune/internal/cli/live"

// State is how far the run is.
func (p *Progress) State() live.State {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := live.State{Device: p.device, Done: p.now.done, AtMost: p.now.atMost, Matrix: p.now.matrix,
		Matrices: p.now.matrices}
	if p.begun > 0 {
		p.foresee()
		s.Total, s.Index, s.Rate = p.now.total, p.now.index+1, p.now.rate
	}
	if p.now.foreseen {
		s.Left = p.now.left.Seconds()
	}
	return s
}
