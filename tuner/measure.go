// SPDX-License-Identifier: Apache-2.0

package tuner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"example.org/spmvtune/internal/base/files"
	"example.org/spmvtune/kernels"
	"example.org/spmvtune/sparse/cache"
	"example.org/spmvtune/tuner/trial"
	"example.org/spmvtune/tuner/worker"
)

// begin measures the roof and opens the record, before the first trial.
func (r *run) begin(ctx context.Context) error {
	if r.begun {
		return nil
	}
	roof, err := r.bandwidth(ctx)
	if err != nil {
		return err
	}

	r.begun, r.roof = true, roof.Highest()
	err = r.rec.Begin(ctx, RunInfo{
		Sweep:    r.sweep,
		Device:   r.planner.device,
		Roof:     roof,
		Sources:  r.planner.sources,
		Custom:   r.sweep.Custom(),
		Protocol: worker.ProtocolText(r.sweep.Protocol),
		Version:  r.opt.Version,
		Origin:   trial.Origin{Node: r.opt.Node, UUID: r.planner.device.Properties["uuid"], Job: r.opt.Job},
	})
	if err != nil {
		return err
	}
	return r.expect(ctx)
}

// roofTimeout bounds how long a device may take for its bandwidth.
var roofTimeout = openTimeout

// bandwidth measures the roof, if it is wanted. A processor that is too slow or too busy for it has none, and measures without;
// a GPU answers always, unless it is gone.
func (r *run) bandwidth(ctx context.Context) (kernels.Roof, error) {
	if r.opt.Roofless {
		return kernels.Roof{}, nil
	}
	if err := r.worker(ctx); err != nil {
		return kernels.Roof{}, err
	}
	r.opt.Observe(Event{Doing: "measuring the bandwidth of the memory"})
	rep, err := r.ask(ctx, r.client.Start(worker.Request{Roof: true}), roofTimeout)
	if err == nil {
		return *rep.Roof, nil
	}

	r.drop(r.client, err)
	if d, died := errors.AsType[*worker.Death](err); died && d.Status == trial.Timeout && r.planner.device.Backend == "cpu" {
		r.opt.Observe(Event{Roofless: err})
		return kernels.Roof{}, nil
	}
	return kernels.Roof{}, r.interrupted(ctx, &gone{fmt.Errorf("measuring the device's bandwidth: %w", err)})
}

// reload gives the matrix to a worker that does not have it.
func (r *run) reload(ctx context.Context) error {
	if r.client != nil && r.holds == r.matrix.Hash {
		return nil
	}
	again, err := r.load(ctx, r.spec, false)

	switch {
	case errors.Is(err, errStop):
		return err
	case err != nil:
		return fmt.Errorf("loading it again for a new worker: %w", err)
	case again.Hash != r.matrix.Hash:
		return errors.New("the matrix has changed since the sweep started: run the sweep again")
	}

	return nil
}

// trial measures and records one trial. ctx does not interrupt it. But if the worker is
// killed after ctx has ended, somebody has lost patience, and nothing is known of the trial.
//
// A GPU starts the next one before the result is recorded, so that it does not wait for the disk. On a
// processor, recording would be measured, too.
func (r *run) trial(ctx context.Context, j job) error {
	stop := ctx
	ctx = context.WithoutCancel(ctx)
	if r.ahead == nil {
		r.ahead = r.starts(j)
	}
	rep, err := r.ask(ctx, r.ahead, r.sweep.Protocol.Timeout)
	r.ahead = nil
	overlap := r.overlap

	res := trial.Result{Trial: j.Trial, At: time.Now().UTC(), Measurement: worker.Version}
	spoiled := false

	var d *worker.Death
	switch {
	case errors.As(err, &d):
		r.client = nil
		if d.Killed && stop.Err() != nil {
			return r.interrupted(stop, nil)
		}
		if r.overlap == overlapped && d.Status == trial.OOM { // what went on beside may have had the memory
			r.alone = true
			return nil // the job is done again
		}
		res.Status, res.Message, res.Seconds = d.Status, d.Message, time.Since(r.asked).Seconds()
	case err != nil:
		return err
	default:
		res, spoiled = *rep.Result, rep.Spoiled
		r.watch(res.Host)
		r.compared[j.compared()] = r.compared[j.compared()] || res.Status == trial.OK
	}

	if r.suspect(j.Kernel, res.Status) {
		r.restart()
		return nil // the job is done again
	}
	r.enters(j.Kernel)
	r.alone = false
	overlap.note(&res)

	res.At, res.UUID = r.later(res.At), r.planner.device.Properties["uuid"]
	res.Sentinel, res.LeaderRerun, res.NoiseRerun = j.sentinel, j.leader, j.noise
	if j.partial != nil && res.Status == trial.OK {
		res.Stop = trial.StopSearch
	}
	if warning := aboveRoof(res, r.roof); warning != "" {
		res.Warnings = append(res.Warnings, warning)
	}

	r.note(j.Trial, res.Median)
	r.work.told(res)
	if spoiled {
		r.restart()
	}
	if after := r.work.next(); r.client != nil && r.planner.device.Backend != "cpu" && after != nil &&
		after.fresh() == j.fresh() && r.halt(stop) == nil {
		r.ahead = r.starts(*after)
	}

	return r.record(ctx, res)
}

// restart ends the worker; the next job has a new one. On a GPU, which takes long to give up what a worker has, the next
// one opens the device meanwhile: worker waits for both.
func (r *run) restart() {
	defer worker.Spend(&r.sum.Breakdown.Start, time.Now())
	r.ending.Wait()
	if r.client != nil {
		r.ending.Go(r.client.Close)
		r.client, r.another = nil, true
	}
	if r.planner.device.Backend == "cpu" {
		r.ending.Wait()
	}
}

// suspect reports whether a trial may have failed by what another kernel of the sweep has left behind in its worker,
// such as a thread that crashed.
func (r *run) suspect(kernel string, status trial.Status) bool {
	o, own := kernels.LookupCustom(r.sweep.Custom(), kernel)
	switch {
	case r.customKernel == "" || r.customKernel == kernel || o.Command != nil:
		return false
	case status == trial.Timeout:
		return !own // which may well do so itself: not twice as long
	default:
		return status != trial.OK && status != trial.Invalid
	}
}

// enters notes that a kernel has run in the worker.
func (r *run) enters(kernel string) {
	o, own := kernels.LookupCustom(r.sweep.Custom(), kernel)
	if !own || o.Command != nil || r.customKernel == kernel {
		return
	}
	if r.customKernel != "" {
		kernel = "several kernels"
	}
	r.customKernel = kernel
}

// later returns at, or the next millisecond where the result before has that of at or a later one: a trial's
// repeat runs are told apart by theirs, and some take less than one.
func (r *run) later(at time.Time) time.Time {
	if at.UnixMilli() <= r.last.UnixMilli() {
		at = r.last.Add(time.Millisecond)
	}
	r.last = at
	return at
}

// watch notes what others did to the processor during a trial, and says once if it is busy.
func (r *run) watch(host trial.HostUse) {
	r.host.Add(host)
	if r.sum.Crowded == nil && r.host.Crowded() {
		r.sum.Crowded = &Crowded{r.host, r.planner.device.Backend != "cpu"}
		r.opt.Observe(Event{Crowded: r.sum.Crowded})
	}
}

// aboveRoof returns a warning for a cold trial that moves its compulsory bytes faster than
// the device's roof, in GB/s, allows: a part of them was in a cache, or the time is wrong.
func aboveRoof(res trial.Result, roof float64) string {
	if res.Cache != trial.Cold || !(res.Median > 0 && roof > 0) {
		return ""
	}
	rate := float64(res.BytesMin) / 1e9 / res.Median
	if rate <= roof {
		return ""
	}
	return fmt.Sprintf("cold, but %.4g GB/s is above the roof of the device, %.4g GB/s: not all of it came from memory",
		rate, roof)
}

// record records a result and counts it.
func (r *run) record(ctx context.Context, res trial.Result) error {
	if res.IsRerun() && res.Status != trial.OK { // there is nothing to compare with the first result
		return nil
	}
	if err := r.rec.Record(ctx, res); err != nil {
		err = fmt.Errorf("recording a trial: %w", err)
		if ctx.Err() == nil {
			r.devices.fail(err) // before the worker of this device has ended
		}
		return err
	}
	switch {
	case res.LeaderRerun:
		r.sum.LeaderReruns++
	case res.NoiseRerun:
		r.sum.NoiseReruns++
	}
	if res.IsRerun() {
		r.opt.Observe(Event{Rerun: &res})
		return nil
	}

	r.done[res.ID], r.measured[res.ID] = true, true
	r.sum.Measured[res.Status]++
	switch res.Status {
	case trial.OK:
	case trial.Invalid:
		r.sum.Invalid[res.Message]++
	default:
		r.sum.Failed = append(r.sum.Failed, res)
	}

	r.opt.Observe(Event{Result: &res})
	return nil
}

// request asks for a job. Slow trials are cut short, but not repeat runs, which are
// compared with results from before there was anything better, and not partial measurements:
// these take the samples that the search asked for. Leader and noise reruns take the fewest samples:
// more would say more of one preparation, and nothing of the next.
func (r *run) request(j job) worker.Request {
	best := r.best[caseOf(j.Trial)]
	if j.rerun() || j.partial != nil {
		best = 0
	}
	protocol := r.sweep.Protocol
	if j.fresh() {
		protocol.Samples[1] = protocol.Samples[0]
	}
	if j.partial != nil {
		protocol = *j.partial
	}
	return worker.Request{Trial: &worker.TrialRequest{Trial: j.Trial, Protocol: protocol, Fresh: j.fresh(),
		Full: !r.compared[j.compared()], Best: best}}
}

// compared names what the first good trial and the first good repeat run on a device are compared for by the worker
// itself, beside the device: what a kernel computes follows from its code, and not from the process.
func (j job) compared() string { return fmt.Sprint(j.Kernel, j.Precision, j.fresh()) }

// Unbuilt says that an own kernel of the sweep does not compile for some of its configurations.
// Their trials are invalid.
type Unbuilt struct {
	Kernel  string
	Configs int    // how many
	Reason  string // that of the first
}

// Compiled returns the folder of what is compiled of own kernels, "" if there are none. It is that of
// the cache or, if that is off, a temporary one, which remove removes.
func Compiled(own []kernels.Custom) (folder string, remove func(), err error) {
	remove = func() {}
	if len(own) == 0 {
		return "", remove, nil
	}
	dir, err := cache.Default()
	if err != nil {
		return "", remove, err
	}
	if path := dir.Path(); path != "" {
		return filepath.Join(path, "kernels"), remove, nil
	}
	made, err := files.NewScratch("", "spmvtune-kernels-")
	if err != nil {
		return "", remove, fmt.Errorf("making a folder for compiled kernels: %w", err)
	}
	return made.Path(), func() { made.Remove() }, nil
}

// keepScratch makes a folder for the programs of the sweep, if it has any, which remove removes.
func (r *run) keepScratch() (remove func(), err error) {
	if !slices.ContainsFunc(r.sweep.Custom(), func(o kernels.Custom) bool { return o.Command != nil }) {
		return func() {}, nil
	}
	made, err := files.NewScratch("", "spmvtune-programs-")
	if err != nil {
		return nil, fmt.Errorf("making a folder for programs: %w", err)
	}
	r.scratch = made.Path()
	return func() { made.Remove() }, nil
}

// build compiles own kernels for the trials of a plan that are still to be measured, all at once,
// and tells of those that can't be.
func (r *run) build(ctx context.Context, plan Plan) error {
	var list []kernels.Config
	for _, t := range plan.Trials {
		o, own := kernels.LookupCustom(r.sweep.Custom(), t.Kernel)
		c := t.Config
		c.Grid = 0 // it is not compiled in
		if own && o.Command == nil && !r.done[t.ID] && !r.built[c] {
			r.built[c] = true
			list = append(list, c)
		}
	}
	if len(list) == 0 {
		return nil
	}
	r.opt.Observe(Event{Doing: "compiling the kernels of the sweep"})
	rep, err := r.ask(ctx, r.client.Start(worker.Request{Build: list}), 0)
	if err != nil {
		r.drop(r.client, err)
		return r.interrupted(ctx, fmt.Errorf("compiling the kernels of the sweep: %w", err))
	}

	of := map[string]*Unbuilt{}
	for i, reason := range rep.Unbuilt {
		if name := list[i].Kernel; reason != "" {
			of[name] = cmp.Or(of[name], &Unbuilt{Kernel: name, Reason: reason})
			of[name].Configs++
		}
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		r.opt.Observe(Event{Unbuilt: of[name]})
	}
	return nil
}
