package fetch_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/taso-go/taso/internal/fetch"
)

func ExampleNPM() {
	os.Setenv("XDG_CACHE_HOME", os.DevNull)
	_, err := fetch.NPM(context.Background(), "jp.keijiro.mlsd", "1.0.0", "ONNX/mlsd_320x320_tiny.onnx", false)
	fmt.Println(errors.Is(err, fetch.ErrOffline))
	// Output: true
}

func ExampleDebian() {
	dir, err := fetch.Debian(context.Background(), "base-files", "/", false) // the folder is there
	fmt.Println(dir, err)
	// Output: / <nil>
}

func ExamplePyPI() {
	os.Setenv("XDG_CACHE_HOME", os.DevNull)
	_, err := fetch.PyPI(context.Background(), "onnx", "1.21.0", "onnx/backend/test/data", false)
	fmt.Println(errors.Is(err, fetch.ErrOffline))
	// Output: true
}
