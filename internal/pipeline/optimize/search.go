package optimize

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/taso-go/taso/cost"
	"github.com/taso-go/taso/graph/bank"
	"github.com/taso-go/taso/internal/parallel"
	"github.com/taso-go/taso/internal/progress"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/rules/builtin"
	"github.com/taso-go/taso/search"
	"github.com/taso-go/taso/search/saturate"
)

// unit is the cost of a bank's price of 1, in seconds.
const unit = cost.Picosecond

// record is the best cost that any search has come to.
type record struct {
	o     *Options
	start time.Time
	stage *progress.Stage // shows the best cost, counts moves

	mu   sync.Mutex
	cost int64
}

func (o *Options) record() *record {
	return &record{o: o, start: time.Now(), stage: o.Progress.Stage("search", progress.Unknown)}
}

// told tells of a cost, if it is the best so far.
func (r *record) told(c int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.cost == 0 || c < r.cost {
		r.cost = c
		r.stage.Describe("search, best so far " + cost.Seconds(float64(c)*unit).String())
		if r.o.Improved != nil {
			r.o.Improved(time.Since(r.start).Seconds(), cost.Seconds(float64(c)*unit))
		}
	}
}

// searching is one search: moves that were made from the model on.
type searching struct {
	o     *Options
	rules *search.Rules
	trail *search.Trail
	// apart names the candidate that the search leads to; "": it is compared by cost with
	// the other searches.
	apart string
	path  []search.Move // that were made
	waves bool          // descent makes them
	best  *record
	// from is the network that the path begins at, with its proof; nil: the model.
	from  *search.Network
	built *built          // what it came to, once that is built
	never []weights       // from which it computes no weight
	stats *saturate.Stats // of the saturation before
	tried map[*law.Law]*tried
	// unusable says which laws, or directions of laws, cannot be used in networks.
	unusable []error
}

// tried counts the moves of a law that were tried, and those of them that could be
// made.
type tried struct{ tried, made int }

// watch counts a move that was tried.
func (s *searching) watch(m *search.Move, made bool) {
	s.best.stage.Add(1)
	l := m.Direction.Law.Law
	c := s.tried[l]
	if c == nil {
		c = &tried{}
		s.tried[l] = c
	}
	c.tried++
	if made {
		c.made++
	}
}

func (o *Options) newSearching(ctx context.Context, best *record, how run) (*searching, error) {
	laws := o.Laws
	if how.apart == simplest {
		var err error
		if laws, err = simplifying(laws); err != nil {
			return nil, err
		}
	}
	rules, unusable, err := search.NewRulesFrom(o.Compiled, laws)
	if err != nil {
		return nil, err
	}
	s := &searching{o: o, rules: rules, apart: how.apart, best: best, tried: map[*law.Law]*tried{}, unusable: unusable}
	var net *bank.Bank
	if how.saturate {
		if s.from, s.stats, err = o.saturate(ctx); err != nil {
			return nil, err
		}
		net = s.from.Net.Clone()
	} else if net, _, err = bank.FromReal(o.Model.Graph, nil, o.weights); err != nil {
		return nil, err
	} else if err := s.begin(net, how.begin); err != nil {
		return nil, err
	}
	var prices search.Prices = cost.Picoseconds{Model: o.Cost}
	if s.apart == plainest {
		prices = plain(o.Cost)
	}
	p := search.NewPricer(net, o.Target, prices)
	if p.Err() != nil {
		return nil, p.Err()
	}
	s.told(p.Cost())
	s.trail = search.NewTrail(search.NewRewriter(net, rules), p)
	s.trail.Watch = s.watch
	return s, nil
}

// begin makes the moves that a search is to begin with.
func (s *searching) begin(net *bank.Bank, moves []search.Move) (err error) {
	r := search.NewRewriter(net, s.rules)
	for i := range moves {
		if !r.Find(&moves[i], func(m *search.Match) { err = r.Apply(m) }) || err != nil {
			return fmt.Errorf("move %d, with which the search begins, cannot be made: %w", i+1, err)
		}
	}
	s.path = slices.Clone(moves)
	return nil
}

// kept is the number of alternatives of each part that are judged by their plans.
const kept = 4

// saturate rewrites the model by equality saturation. Auto does so twice, by all laws and
// by those about networks alone, and takes the cheaper network: e-graphs end at a number
// of nodes, so that of some networks more laws find less, and the few take a tenth of
// the time of all (benchmark optimize-rules).
func (o *Options) saturate(ctx context.Context) (found *search.Network, stats *saturate.Stats, err error) {
	sets := [][]*law.Law{o.Laws}
	if o.Method == Auto {
		few, err := aboutNetworks(o.Laws)
		if err != nil {
			return nil, nil, err
		}
		if len(few) > 0 && len(few) < len(o.Laws) {
			sets = append(sets, few)
		}
	}
	least := int64(0)
	for _, laws := range sets {
		n, err := search.NewNetworkReal(o.Model.Graph, nil, o.weights)
		if err != nil {
			return nil, nil, err
		}
		st, err := saturate.Run(ctx, n, saturate.Options{Laws: laws, Compiled: o.Compiled, Price: saturate.PriceOf(o.Cost), Target: o.Target,
			Best: kept, Extract: o.Extract, Score: saturate.ScoreOf(o.Cost, o.Target)})
		if err != nil {
			return nil, nil, err
		}
		p := search.NewPricer(n.Net, o.Target, cost.Picoseconds{Model: o.Cost})
		if p.Err() != nil {
			return nil, nil, p.Err()
		}
		if c := p.Cost(); found == nil || c < least {
			found, stats, least = n, st, c
		}
	}
	return found, stats, nil
}

// aboutNetworks are those of the laws that are laws of package rules/builtin, or if no law of this
// program is among them, those that stand in for these.
func aboutNetworks(laws []*law.Law) (few []*law.Law, err error) {
	ours, err := builtins()
	if err != nil {
		return nil, err
	}
	var said law.Statements
	own := map[int]bool{}
	for _, l := range ours {
		own[said.Of(l)] = true
	}
	for _, l := range laws {
		if l.Kind == law.Rule && own[said.Of(l)] {
			few = append(few, l)
		}
	}
	all, err := DefaultLaws(true)
	if err != nil {
		return nil, err
	}
	others := foreign(all, laws)
	if len(others) < len(laws) {
		return few, nil
	}
	names := map[string]bool{}
	for _, l := range ours {
		for _, back := range []bool{false, true} {
			for _, u := range standIns(l, back, others) {
				names[u.law] = true
			}
		}
	}
	return slices.DeleteFunc(others, func(l *law.Law) bool { return !names[l.Name] }), nil
}

// simplifying are those of the laws that only simplify: laws of simplify.rules, and those of
// which one side has at most one operator, and the other one that and more. Reshapes are left
// as they are: those around products are often none in the file, which has products of more axes.
func simplifying(laws []*law.Law) (few []*law.Law, err error) {
	ours, err := builtin.Simplify()
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, l := range ours {
		names[l.Name] = true
	}
	for _, l := range laws {
		left, right := applications(l.LHS), applications(l.RHS)
		reshapes := left["reshape"] + right["reshape"]
		if names[l.Name] || reshapes == 0 && (part(right, left) || !l.OneWay && part(left, right)) {
			few = append(few, l)
		}
	}
	return few, nil
}

// applications counts the operators of one side of a law, and the functions that are given.
func applications(ts []*law.Term) map[string]int {
	var nodes law.Nodes
	for _, t := range ts {
		nodes.Of(t)
	}
	count := map[string]int{}
	for _, t := range nodes.All() {
		switch {
		case t.IsVar():
		case t.Fn != "":
			count["function "+t.Fn]++
		default:
			count[t.Op.Name]++
		}
	}
	return count
}

// part reports whether the operators in x are one of those in y, or none, and y has more.
func part(x, y map[string]int) bool {
	few, many := 0, 0
	for name, n := range x {
		if few += n; n > y[name] {
			return false
		}
	}
	for _, n := range y {
		many += n
	}
	return few <= 1 && few < many
}

// told tells of a cost; that of a search apart is not compared with others.
func (s *searching) told(c int64) {
	if s.apart == "" {
		s.best.told(c)
	}
}

func (s *searching) cost() int64 { return s.trail.Price.Cost() }

// descend makes chains of moves that lower the cost, with at most so many tries.
func (s *searching) descend(ctx context.Context, tries int) {
	if tries <= 0 {
		return
	}
	kept, _ := s.trail.Descend(ctx, search.DescendOptions{Depth: s.o.Depth, Worse: s.o.Worse, Waves: s.waves, Tries: s.trail.Tried + tries,
		Improved: func(c int64, _ []search.Move) { s.told(c) }})
	s.path = append(s.path, kept...)
}

// backtrack goes to the best network that so many tries find from the present one.
func (s *searching) backtrack(ctx context.Context, tries int) {
	path, _, _ := s.trail.Backtrack(ctx, search.BacktrackOptions{Alpha: s.o.Alpha, Tries: s.trail.Tried + tries,
		Improved: func(c int64, _ []search.Move) { s.told(c) }})
	for i := range path {
		if !s.trail.Do(&path[i]) {
			panic("optimize: a move that was made once cannot be made again")
		}
	}
	s.trail.Settle()
	s.path = append(s.path, path...)
}

// firstTurns are how many moves backtracking tries before descent has its turn, in
// each of the searches of Auto.
var firstTurns = []int{0, 10000, 40000}

// mostVain is after how many turns in which nothing was found a search ends.
const mostVain = 2

// auto lets backtracking and descent take turns, each from where the other came to:
// backtracking sees what pays only after several moves far from each other, descent
// does what pays in one place everywhere. Which has the first turn, and how long it
// is, decides where they come to. Turns in which nothing was found make the next one
// longer, until the tries are spent.
func (s *searching) auto(ctx context.Context, turn, tries int) {
	end := s.trail.Tried + tries
	descended := int64(-1)
	for vain := 0; vain < mostVain && ctx.Err() == nil && s.trail.Tried < end; vain++ {
		before := s.cost()
		if turn > 0 {
			s.backtrack(ctx, min(end-s.trail.Tried, turn))
		}
		if s.cost() != descended {
			s.descend(ctx, end-s.trail.Tried)
			descended = s.cost()
		}
		if s.cost() < before {
			vain = -1
			continue
		}
		turn = max(firstTurns[1], 4*turn)
	}
}

// tidy removes numbers that change nothing, unless that costs more.
func (s *searching) tidy(ctx context.Context) error {
	before, operators := s.cost(), operatorsOf(s.trail.Net)
	path, err := s.o.normalize(ctx, s.trail.Net.Clone(), neutral)
	if err != nil || len(path) == 0 {
		return err
	}
	for i := range path {
		if !s.trail.Do(&path[i]) {
			s.trail.Back(0)
			return nil
		}
	}
	if s.cost() > before || operatorsOf(s.trail.Net) >= operators {
		s.trail.Back(0)
		return nil
	}
	s.trail.Settle()
	s.path = append(s.path, path...)
	return nil
}

// run is one search of a method.
type run struct {
	saturate bool   // first
	apart    string // the name of its candidate, see searching
	begin    []search.Move
	search   func(*searching)
}

// search runs the method. It returns the search that came to the best network, and
// all of them. If candidates are measured, Auto has one more among them, by plain prices.
func (o *Options) search(ctx context.Context) (found *searching, all []*searching, err error) {
	var runs []run
	switch o.Method {
	case Descend:
		runs = append(runs, run{search: func(s *searching) { s.waves = true; s.descend(ctx, o.Tries) }})
	case Backtrack:
		runs = append(runs, run{search: func(s *searching) { s.backtrack(ctx, o.Tries) }})
	case Saturate:
		runs = append(runs, run{saturate: true, search: func(*searching) {}})
	default:
		// Those that are short first: the limit on the time is more likely to end the others.
		if o.Judge != nil {
			runs = append(runs, run{apart: simplest, search: func(s *searching) { s.descend(ctx, o.Tries/plainTries) }})
		}
		if o.Measure || o.Judge != nil {
			runs = append(runs, run{apart: plainest, search: func(s *searching) { s.descend(ctx, o.Tries/plainTries) }})
		}
		runs = append(runs, run{saturate: true, search: func(s *searching) { s.auto(ctx, 0, o.each()) }})
		for _, turn := range firstTurns {
			runs = append(runs, run{begin: o.first, search: func(s *searching) { s.auto(ctx, turn, o.each()) }})
		}
	}
	all = make([]*searching, len(runs))
	best := o.record()
	defer best.stage.Done()
	// A search that is cancelled gives what it has.
	err = parallel.Each(context.WithoutCancel(ctx), o.Workers, len(runs), func(_, i int) (err error) {
		if all[i], err = o.newSearching(ctx, best, runs[i]); err == nil {
			runs[i].search(all[i])
			err = all[i].trail.Price.Err()
		}
		return err
	})
	if err == nil && o.Method == Auto && ctx.Err() == nil {
		all, err = o.again(ctx, best, all)
	}
	if err != nil {
		return nil, nil, err
	}
	found = leastCost(all)
	for _, s := range all {
		if s == found || s.apart != "" {
			if err := s.tidy(ctx); err != nil {
				return nil, nil, err
			}
			s.path = append(s.path, s.trail.Anchor()...)
		}
		if s.apart != "" {
			o.apart = append(o.apart, s)
		}
		if s.stats != nil {
			o.saturated = s.stats
		}
	}
	return found, all, nil
}

// each is how many moves each of the searches of Auto tries: by firstTurns, that which
// saturates first, and the three with waves.
func (o *Options) each() int { return o.Tries / (len(firstTurns) + 4) }

// leastCost is the search that came to the cheapest network, the first one of several.
func leastCost(all []*searching) (found *searching) {
	for _, s := range all {
		if s.apart == "" && (found == nil || s.cost() < found.cost()) {
			found = s
		}
	}
	return found
}

// again lets descent with waves go on from the cheapest network that was found, and
// begin from the model and from its normal form: waves lead elsewhere than single moves,
// not always to a cheaper network, and the normal form is the same for a model and for
// whatever was made of it by merging, cutting and folding.
func (o *Options) again(ctx context.Context, best *record, all []*searching) ([]*searching, error) {
	net, _, err := bank.FromReal(o.Model.Graph, nil, o.weights)
	if err != nil {
		return nil, err
	}
	apart, err := o.normalize(ctx, net, normal)
	if err != nil {
		return nil, err
	}
	more := [3]*searching{leastCost(all)}
	begin := [3][]search.Move{nil, o.first, apart}
	err = parallel.Each(context.WithoutCancel(ctx), o.Workers, len(more), func(_, i int) (err error) {
		if more[i] == nil {
			if more[i], err = o.newSearching(ctx, best, run{begin: begin[i]}); err != nil {
				return err
			}
		}
		more[i].waves = true
		more[i].auto(ctx, 0, o.each())
		return more[i].trail.Price.Err()
	})
	return append(all, more[1:]...), err
}
