//go:build cgo

package dl

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// a search of a folder of the test's own, with an environment of the test's own.
func under(t *testing.T, env map[string]string) search {
	t.Helper()
	return search{getenv: func(k string) string { return env[k] }, root: t.TempDir()}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// otherLibrary is a library of this machine that is none of CUDA's.
func otherLibrary(t *testing.T) string {
	t.Helper()
	p := sysProbe(0, "libm.so.6")
	if p.handle == nil {
		t.Skip("no libm.so.6 here")
	}
	data, err := os.ReadFile(p.path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// tried finds what came of a path.
func tried(t *testing.T, l *Libraries, path string) string {
	t.Helper()
	for _, x := range l.Report.Tries {
		if x.Path == path {
			return x.Result
		}
	}
	t.Errorf("%s was not tried:\n%s", path, l.Report.String())
	return ""
}

func TestNothingThere(t *testing.T) {
	s := under(t, nil)
	l, err := load(s)
	want := "no CUDA driver found (looked in " + s.root + "/usr/local/nvidia/lib64, " + s.root + "/usr/lib/wsl/lib)"
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	for _, lib := range libraries {
		if l.Has(lib) {
			t.Errorf("has %s", lib)
		}
	}
	if len(l.Report.Lacks) != 4 {
		t.Errorf("lacks %v", l.Report.Lacks)
	}
	if got := tried(t, l, s.root+"/usr/lib/wsl/lib/libcuda.so.1"); got != "not there" {
		t.Errorf("result %q", got)
	}
	if got := tried(t, l, s.root+"/usr/local/cuda*"); got != "no such folder" {
		t.Errorf("result %q", got)
	}
	text := l.Report.String()
	for _, want := range []string{
		"missing: driver, for running on a GPU; nothing instead\n",
		"missing: cuDNN, for convolutions; instead: generated kernels\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("report has no %q:\n%s", want, text)
		}
	}
	data, err := json.Marshal(l.Report)
	if err != nil || !strings.Contains(string(data), `"result":"not there"`) {
		t.Errorf("report as JSON: %s, %v", data, err)
	}
	if _, err := l.Devices(); err == nil || err.Error() != "no CUDA driver" {
		t.Errorf("Devices: %v", err)
	}
	if _, err := Open(l, 0); err == nil {
		t.Error("a device was opened")
	}
	if _, err := l.Compiler("sm_90", "").Compile("k"); err == nil || !strings.Contains(err.Error(), "no NVRTC") {
		t.Errorf("Compile: %v", err)
	}
}

func TestBrokenFiles(t *testing.T) {
	other := otherLibrary(t)
	s := under(t, nil)
	broken := s.root + "/usr/local/nvidia/lib64/libcuda.so.1"
	foreign := s.root + "/usr/lib/wsl/lib/libcuda.so.1"
	rtc := s.root + "/usr/local/cuda-12.4/lib64/libnvrtc.so.12"
	wheel := s.root + "/usr/lib/python3.11/site-packages/nvidia/cudnn/lib/libcudnn.so.9"
	newer := s.root + "/usr/local/lib/python3.13/dist-packages/nvidia/cu13/lib/libcublasLt.so.13"
	put(t, broken, "text")
	put(t, foreign, other)
	put(t, rtc, other)
	put(t, wheel, "text")
	put(t, newer, "text")
	l, err := load(s)
	if err == nil || !strings.HasPrefix(err.Error(), "no CUDA driver found") {
		t.Errorf("error %v", err)
	}
	for path, want := range map[string]string{
		broken: "file too short", foreign: "has no function cuInit", rtc: "has no function nvrtcVersion", wheel: "file too short", newer: "file too short",
	} {
		if got := tried(t, l, path); !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

func TestAskedFor(t *testing.T) {
	other := otherLibrary(t)
	dir := t.TempDir()
	put(t, dir+"/libcuda.so.1", "text")
	put(t, dir+"/mine.so", other)
	for _, c := range []struct{ at, path, want string }{
		{dir, dir + "/libcuda.so.1", "no CUDA driver found (looked in TASO_LIBCUDA=" + dir + "): " + dir + "/libcuda.so.1: file too short"},
		{dir + "/mine.so", dir + "/mine.so", "no CUDA driver found (looked in TASO_LIBCUDA=" + dir + "/mine.so): has no function cuInit"},
		{dir + "/none.so", dir + "/none.so", "no CUDA driver found (looked in TASO_LIBCUDA=" + dir + "/none.so): not there"},
	} {
		s := under(t, map[string]string{EnvDriver: c.at})
		elsewhere := s.root + "/usr/lib/wsl/lib/libcuda.so.1"
		put(t, elsewhere, other)
		l, err := load(s)
		if err == nil || err.Error() != c.want {
			t.Errorf("error %v, want %s", err, c.want)
		}
		tried(t, l, c.path)
		for _, x := range l.Report.Tries {
			if x.Path == elsewhere {
				t.Errorf("%s was tried", elsewhere)
			}
		}
	}
	s := under(t, map[string]string{EnvLibraries: dir + "::/nowhere"})
	put(t, s.root+"/usr/local/cuda/lib64/libnvrtc.so.12", other)
	l, _ := load(s)
	for _, x := range l.Report.Tries {
		if strings.HasPrefix(x.Path, s.root+"/usr/local/cuda/") {
			t.Errorf("%s was tried", x.Path)
		}
	}
	tried(t, l, "/nowhere/libcudnn.so.8")
}

func TestNoSuch(t *testing.T) {
	for text, want := range map[string]bool{
		"libcuda.so.1: cannot open shared object file: No such file or directory": true,
		"libdxcore.so: cannot open shared object file: No such file or directory": false, // which it needs
		"libcuda.so.1: file too short":                                            false,
	} {
		if noSuch(text, "libcuda.so.1") != want {
			t.Errorf("%s: %v", text, !want)
		}
	}
}

func TestVersions(t *testing.T) {
	for _, c := range []struct {
		lib  Library
		v    int64
		want string
	}{
		{Driver, 11040, "11.4"}, {NVRTC, 12090, "12.9"}, {CuBLASLt, 120903, "12.9.3"}, {CuDNN, 8907, "8.9.7"}, {CuDNN, 91002, "9.10.2"},
	} {
		if got := version(c.lib, c.v); got != c.want {
			t.Errorf("%s %d is %s, want %s", c.lib, c.v, got, c.want)
		}
	}
	path := filepath.Join(t.TempDir(), "version")
	put(t, path, "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19\nGCC version: 12\n")
	if got := kernelModule(path); got != "535.129.03" {
		t.Errorf("kernel module %q", got)
	}
}
