package check_test

import (
	"strings"
	"testing"

	"github.com/taso-go/taso/graph"
	"github.com/taso-go/taso/law"
)

// The checker's own shape rules for the operators of networks say what shape
// inference says: the same terms are well typed.
func TestModelShapes(t *testing.T) {
	const given = " given e : number, X : [a, b, c], Y : [a, b, c], S : [P.., a, b], V : [P.., a, b], T : [a, Q..], K : [b], L : [c], M : [b, c], J : [k], N : [2, 3]\n"
	for _, c := range []struct {
		term string
		ok   bool
	}{
		{"ewsub(X, Y)", true}, {"ewsub(X, M)", false}, {"ewdiv(S, V)", true}, {"ewmax(X, Y)", true}, {"ewmin(X, S)", false},
		{"neg(S)", true}, {"leakyrelu[alpha=0.1](S)", true}, {"elu[alpha=e](S)", true}, {"clip[lo=-inf, hi=6](S)", true},
		{"hardsigmoid[alpha=0.2, beta=0.5](S)", true}, {"rsqrt[eps=1e-5](K)", true}, {"cast[to=float32](S)", true}, {"cast[to=float31](S)", false},
		{"softmax[axis=2](X)", true}, {"softmax[axis=3](X)", false}, {"softmax[axis=#P](S)", true}, {"softmax[axis=0](S)", false},
		{"layernorm[axis=2, eps=e](X, L, L)", true}, {"layernorm[axis=1, eps=e](X, M, M)", true}, {"layernorm[axis=2, eps=e](X, L, K)", false},
		{"layernorm[axis=#P+1, eps=0](S, K, K)", true}, {"layernorm[axis=0, eps=0](T, T, T)", false},
		{"batchnorm[eps=e](X, K, K, K, K)", true}, {"batchnorm[eps=e](X, K, K, L, K)", false}, {"batchnorm[eps=e](T, K, K, K, K)", false},
		{"reducesum[axes=(1)](X)", true}, {"reducemean[axes=(0, 2), keep=1](X)", true}, {"reducemax[axes=(2, 0)](X)", false},
		{"reducesum[axes=(0, 0)](X)", false}, {"reducesum[axes=(3)](X)", false},
		{"reducesum[axes=(0)](T)", true}, {"reducesum[axes=(1)](T)", false}, {"reducesum[axes=(1)](S)", false},
		{"pad[before=(0, 1, 0), after=(2, 0, 0), value=-0.5](X)", true}, {"pad[before=(0, 1, 0), after=(2, 0, 0), value=-inf](X)", false}, {"pad[before=(0, 1), after=(2, 0, 0)](X)", false},
		{"pad[before=(0, 1, 1), after=(1, 1, 1)](S)", false},
		{"reshape[shape=[a*b, c]](X)", true}, {"reshape[shape=[c, a, b]](X)", true}, {"reshape[shape=[a, b]](X)", false},
		{"reshape[shape=[P.., a*b]](S)", true}, {"reshape[shape=[a*b, P..]](S)", false}, {"reshape[shape=[Q.., a]](T)", false},
		{"resize[sizes=(4, 1), mode=nearest_floor_asymmetric](N)", true}, {"resize[sizes=(4, 0), mode=nearest_floor_asymmetric](N)", false},
		{"resize[sizes=(4), mode=nearest_floor_asymmetric](N)", false}, {"resize[sizes=(4, 1), mode=nearest_floor_asymmetric](M)", false},
		{"gather[axis=1](X, J)", true}, {"gather[axis=1](X, S)", false}, {"gather[axis=3](X, J)", false}, {"gather[axis=#P](S, M)", true},
		{"pick[n=a](X, K, J)", false}, {"pick[n=a*c](reshape[shape=[b, a, c]](X), K, J)", true}, {"pick[n=0](K, K, J)", false}, {"pick[n=b](K, K, S)", false}, {"pick[n=b](S, K, J)", false},
		{"topk[axis=1, k=b-1](X)", true}, {"topk[axis=3, k=1](X)", false}, {"topk[axis=1, k=0](X)", false}, {"topk[axis=1, k=b+1](X)", false}, {"topk[axis=#P, k=a](S)", true},
		{"topk[axis=0, k=k](X)", true}, {"topk[axis=1, k=4](N)", false}, {"topk[axis=1, k=3, smallest=1](N)", true}, {"topk[axis=0, k=1](S)", false},
		{"pick[n=b-1](K, K, J)", true}, {"iota[n=a*b]()", true}, {"iota[n=a-1]()", true}, {"iota[n=0]()", false},
	} {
		sameShapes(t, given, c.term, c.ok)
	}
}

// sameShapes shows that inference and the checker say alike whether a term is well typed.
func sameShapes(t *testing.T, given, term string, ok bool) {
	t.Helper()
	text := "rule r\n" + given + " then " + term + " == " + term
	l, err := law.ParseLaw(text)
	if err != nil {
		if ok || !strings.Contains(err.Error(), "float31") {
			t.Errorf("%s: %v", term, err)
		}
		return
	}
	shapes := map[string]graph.Shape{}
	for _, b := range l.Given {
		if b.Sort == "" {
			shapes[b.Name] = b.Shape
		}
	}
	_, typeErr := law.TypeOf(&graph.Unifier{}, l.LHS[0], shapes, map[*law.Term]graph.Shape{})
	if (typeErr == nil) != ok {
		t.Errorf("%s: inference says %v", term, typeErr)
	}
	if _, err := run(t, text); (err == nil) != ok {
		t.Errorf("%s: the checker says %v", term, err)
	}
}
