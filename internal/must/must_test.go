package must_test

import (
	"errors"
	"fmt"
	"strconv"
	"testing"

	"github.com/taso-go/taso/internal/must"
)

func ExampleTry() {
	sum := func(a, b string) (n int, err error) {
		err = must.Try(func() { n = must.Get(strconv.Atoi(a)) + must.Get(strconv.Atoi(b)) })
		return n, err
	}
	fmt.Println(sum("1", "2"))
	fmt.Println(sum("1", "x"))
	// Output:
	// 3 <nil>
	// 0 strconv.Atoi: parsing "x": invalid syntax
}

// The error is the one that was given; other panics are no errors.
func TestCatch(t *testing.T) {
	cause := errors.New("cause")
	if err := must.Try(func() { must.Failf("wrapped: %w", cause) }); !errors.Is(err, cause) || err.Error() != "wrapped: cause" {
		t.Errorf("got %v", err)
	}
	if err := must.Try(func() { must.Do(nil) }); err != nil {
		t.Errorf("got %v", err)
	}
	defer func() {
		if r := recover(); r != "other" {
			t.Errorf("got %v", r)
		}
	}()
	_ = must.Try(func() { panic("other") })
	t.Error("a panic of another type was caught")
}
