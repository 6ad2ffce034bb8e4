package verify_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/taso-go/taso/axioms"
	"github.com/taso-go/taso/law"
	"github.com/taso-go/taso/verify"
)

var _ verify.Prover = (*verify.Unbounded)(nil)

// The verdicts come in the order of the goals and do not depend on the workers.
func TestUnbounded(t *testing.T) {
	goals := append(axioms.ByKind(law.Lemma), axioms.ByKind(law.Refute)[:12]...)
	one, err := (&verify.Unbounded{Workers: 1}).Prove(context.Background(), goals)
	if err != nil {
		t.Fatal(err)
	}
	many, err := (&verify.Unbounded{Workers: 3}).Prove(context.Background(), goals)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range one {
		want := verify.Proved
		if goals[i].Kind == law.Refute {
			want = verify.Unknown
		}
		if v.Status != want || v.Engine != "sums" || (v.Reason == "") != (want == verify.Proved) {
			t.Errorf("%s: %s by %s, reason %q; want %s", goals[i].Name, v.Status, v.Engine, v.Reason, want)
		}
		w := many[i]
		v.Seconds, w.Seconds = 0, 0
		if v != w {
			t.Errorf("%s: %+v, with more workers %+v", goals[i].Name, v, w)
		}
	}
}

func TestUnboundedCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	vs, err := (&verify.Unbounded{}).Prove(ctx, axioms.ByKind(law.Lemma))
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range vs {
		if v.Status != verify.Unknown || v.Stop != "deadline" {
			t.Errorf("%+v", v)
		}
	}
	if vs, err := (&verify.Unbounded{}).Prove(ctx, nil); err != nil || len(vs) != 0 {
		t.Errorf("no goals: %v, %v", vs, err)
	}
}

func ExampleUnbounded() {
	laws, err := law.Parse("example", []byte(`
# Images of a batch are convolved one by one.
axiom conv_concat_batch
  given s : stride, p : padding, a : act, X : [b, g*c, h, w], Y : [d, g*c, h, w], W : [o, c, kh, kw]
  let   conv(X, W) = conv2d[stride=s, pad=p, groups=g, act=a](X, W)
  then  conv(concat[axis=0](X, Y), W) == concat[axis=0](conv(X, W), conv(Y, W))
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	p := &verify.Unbounded{}
	verdicts, err := p.Prove(context.Background(), laws)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(verdicts[0].Status, "by", verdicts[0].Engine)
	// Output: proved by sums
}
