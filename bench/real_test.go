package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taso-go/taso/bench/models"
)

// Names of real models are not those of built-in ones.
func TestReal(t *testing.T) {
	seen := map[string]bool{}
	for _, m := range models.List() {
		seen[m.Name] = true
	}
	for _, name := range Real() {
		if seen[name] || findReal(name) == nil || findReal(name).name != name {
			t.Errorf("%s: twice, or not found", name)
		}
		seen[name] = true
	}
	if findReal("mobilenetv2") != nil {
		t.Error("a built-in model is real")
	}
}

// What others rewrite is there, or it is said why not.
func TestByPeer(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	if err := os.WriteFile(from, []byte("x"), 0o666); err != nil {
		t.Fatal(err)
	}
	if s, err := byPeer(context.Background(), "cp", from, to); err != nil || s.(float64) <= 0 {
		t.Errorf("cp: %v, %v", s, err)
	}
	// What is there from before does not count.
	if _, err := byPeer(context.Background(), "true", from, to); err == nil || err.Error() != "it wrote nothing" {
		t.Errorf("true: %v", err)
	}
	if _, err := byPeer(context.Background(), "cp", filepath.Join(dir, "none"), to); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("cp of nothing: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := byPeer(ctx, "cp", from, to); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	b, err := Find("optimize-peers")
	if err != nil || !slices.Contains(b.Default, "vit_b_16") {
		t.Errorf("%v, %v", b, err)
	}
}
