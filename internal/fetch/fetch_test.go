package fetch

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// alone gives the test a cache of its own and programs of its own before all
// others, and forgets failures.
func alone(t *testing.T, programs map[string]string) (cache string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	for name, script := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	npm.failed, debian.failed, pypi.failed = nil, nil, nil
	t.Cleanup(func() { npm.failed, debian.failed, pypi.failed = nil, nil, nil })
	return filepath.Join(dir, "cache", "taso")
}

func archive(t *testing.T, files map[string]string) string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "a.tgz"))
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	for name, text := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// A file is fetched once and then found; a package without it is an error; one
// failure of the program is the last call of it.
func TestNPM(t *testing.T) {
	ctx := context.Background()
	a := archive(t, map[string]string{"package/dir/m.onnx": "numbers", "package/x": "y"})
	log := filepath.Join(t.TempDir(), "log")
	cache := alone(t, map[string]string{"npm": fmt.Sprintf("echo run >>%s; cp %s p.tgz; echo p.tgz", log, a)})
	if _, err := NPM(ctx, "@a/b", "1.0", "dir/m.onnx", false); !errors.Is(err, ErrOffline) {
		t.Errorf("got %v", err)
	}
	for range 2 {
		path, err := NPM(ctx, "@a/b", "1.0", "dir/m.onnx", true)
		if err != nil || path != filepath.Join(cache, "npm", "a_b-1.0", "m.onnx") {
			t.Fatalf("%s, %v", path, err)
		}
		if raw, err := os.ReadFile(path); err != nil || string(raw) != "numbers" {
			t.Errorf("%q, %v", raw, err)
		}
	}
	if runs, err := os.ReadFile(log); err != nil || string(runs) != "run\n" {
		t.Errorf("npm ran: %q, %v", runs, err)
	}
	if _, err := NPM(ctx, "@a/b", "1.0", "none", true); err == nil || !strings.Contains(err.Error(), "@a/b 1.0: it has no file package/none") {
		t.Errorf("got %v", err)
	}
	for script, want := range map[string]string{"exit 0": "no file", "echo no network >&2; exit 1": "no network", "echo q.tgz": "no such file", "echo x >q; echo q": "EOF"} {
		alone(t, map[string]string{"npm": script})
		if _, err := NPM(ctx, "c", "1", "f", true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v", script, err)
		}
	}
	alone(t, map[string]string{"npm": "echo run >>" + log + ".2; exit 1"})
	for range 3 {
		if _, err := NPM(ctx, "c", "1", "f", true); err == nil {
			t.Error("no error")
		}
	}
	if runs, err := os.ReadFile(log + ".2"); err != nil || string(runs) != "run\n" {
		t.Errorf("npm ran: %q, %v", runs, err)
	}
}

// A folder is that of the machine, or unpacked once; missing lists of packages
// are fetched without touching those of the machine.
func TestDebian(t *testing.T) {
	ctx := context.Background()
	here := t.TempDir()
	alone(t, nil)
	if got, err := Debian(ctx, "p", here, false); err != nil || got != here {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := Debian(ctx, "p", "/no/such/folder", false); !errors.Is(err, ErrOffline) {
		t.Errorf("got %v", err)
	}
	const unpack = `mkdir -p "$3/no/such/folder"`
	for name, apt := range map[string]string{
		"lists":    `echo deb >p.deb`,
		"no lists": `case "$*" in "-q download p") exit 100;; *update) test -d lists/partial && touch lists/new;; *) test -f lists/new && echo deb >p.deb;; esac`,
	} {
		cache := alone(t, map[string]string{"apt-get": apt, "dpkg-deb": unpack})
		for range 2 {
			got, err := Debian(ctx, "p", "/no/such/folder", true)
			if err != nil || got != filepath.Join(cache, "debian", "p", "no/such/folder") {
				t.Errorf("%s: %s, %v", name, got, err)
			}
		}
		left, err := filepath.Glob(filepath.Join(cache, "debian", "*"))
		if err != nil || len(left) != 1 {
			t.Errorf("%s: left behind %v, %v", name, left, err)
		}
	}
	for want, programs := range map[string]map[string]string{
		"Unable to locate":       {"apt-get": "echo 'E: Unable to locate package p' >&2; exit 100", "dpkg-deb": unpack},
		"left 0 files, want one": {"apt-get": "exit 0", "dpkg-deb": unpack},
		"not an archive":         {"apt-get": "echo deb >p.deb", "dpkg-deb": "echo not an archive >&2; exit 2"},
		"no such file":           {"apt-get": "echo deb >p.deb", "dpkg-deb": `mkdir "$3"`},
	} {
		alone(t, programs)
		if _, err := Debian(ctx, "p", "/no/such/folder", true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
