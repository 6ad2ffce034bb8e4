package dl

import (
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
)

// The environment variables that say where the libraries are. One that is set is
// all that is looked at: what does not work there is not replaced from elsewhere.
const (
	EnvDriver    = "TASO_LIBCUDA"     // a file, or the folder of libcuda.so.1
	EnvLibraries = "TASO_CUDA_LIBDIR" // folders, separated by ':'
)

// A search is where libraries are looked for.
type search struct {
	getenv func(string) string
	root   string // before the folders of the system that are looked at
	loader bool   // whether the dynamic loader is asked
}

// theSystem is the search of this machine.
var theSystem = search{getenv: os.Getenv, loader: true}

// A candidate is a file that may be a library. Of a folder, or a pattern, in which
// there is nothing, why says so.
type candidate struct {
	path, why string
}

// loaderFolders stands for the dynamic loader in messages.
const loaderFolders = "the dynamic loader's folders"

// drivers lists the candidates for the driver, and how to say where they are.
func (s search) drivers() (list []candidate, looked string) {
	const name = "libcuda.so.1"
	if at := s.getenv(EnvDriver); at != "" {
		if info, err := os.Stat(at); err == nil && info.IsDir() {
			return []candidate{inFolder(at, name)}, EnvDriver + "=" + at
		}
		return []candidate{file(at)}, EnvDriver + "=" + at
	}
	var places []string
	if s.loader {
		list, places = append(list, candidate{path: name}), append(places, loaderFolders)
	}
	for _, dir := range []string{"/usr/local/nvidia/lib64", "/usr/lib/wsl/lib"} {
		dir = s.root + dir
		list, places = append(list, inFolder(dir, name)), append(places, dir)
	}
	return list, strings.Join(places, ", ")
}

// file is a candidate that is one file.
func file(path string) candidate {
	if _, err := os.Stat(path); err != nil {
		return candidate{path, "not there"}
	}
	return candidate{path: path}
}

func inFolder(dir, name string) candidate { return file(filepath.Join(dir, name)) }

// folders lists where the other libraries may be, in order, and patterns of
// folders that match nothing. asked: they are given by the environment.
func (s search) folders() (dirs, none []string, asked bool) {
	if list := s.getenv(EnvLibraries); list != "" {
		for _, dir := range filepath.SplitList(list) {
			if dir != "" {
				dirs = append(dirs, dir)
			}
		}
		return dirs, nil, true
	}
	glob := func(pattern string, within ...string) {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			none = append(none, pattern)
			return
		}
		sort.Sort(sort.Reverse(sort.StringSlice(found))) // newest first, among numbers of one length
		for _, dir := range found {
			for _, w := range within {
				inside, err := filepath.Glob(filepath.Join(dir, w))
				if err == nil {
					sort.Sort(sort.Reverse(sort.StringSlice(inside)))
					dirs = append(dirs, inside...)
				}
			}
		}
	}
	for _, site := range s.sites() {
		glob(site, "nvidia/cu[0-9]*/lib", "nvidia/cublas/lib", "nvidia/cuda_nvrtc/lib", "nvidia/cudnn/lib")
	}
	if conda := s.getenv("CONDA_PREFIX"); conda != "" {
		glob(conda, "lib")
	}
	if home := s.getenv("CUDA_HOME"); home != "" {
		glob(home, "lib64")
	}
	glob(s.root+"/usr/local/cuda*", "lib64")
	return dirs, none, false
}

// sites are patterns of the folders in which pip puts packages.
func (s search) sites() []string {
	var out []string
	for _, env := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if p := s.getenv(env); p != "" {
			out = append(out, filepath.Join(p, "lib/python3*/site-packages"))
		}
	}
	// An environment whose python3 is on PATH need not be activated.
	for _, dir := range filepath.SplitList(s.getenv("PATH")) {
		python := filepath.Join(dir, "python3")
		if _, err := os.Stat(s.root + python); err != nil || !filepath.IsAbs(dir) {
			continue
		}
		prefix := filepath.Dir(dir)
		if _, err := os.Stat(filepath.Join(s.root+prefix, "pyvenv.cfg")); err == nil {
			if p := filepath.Join(s.root+prefix, "lib/python3*/site-packages"); !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
		break // the first python3 is the one that runs
	}
	if home := s.getenv("HOME"); home != "" {
		out = append(out, filepath.Join(home, ".local/lib/python3*/site-packages"))
	}
	for _, lib := range []string{"/usr/local/lib", "/usr/lib"} {
		for _, packages := range []string{"site-packages", "dist-packages"} {
			out = append(out, filepath.Join(s.root+lib, "python3*", packages))
		}
	}
	return out
}
