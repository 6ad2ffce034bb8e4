package dl

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"

	"github.com/taso-go/taso/internal/atomicfile"
)

// A CompileError says that NVRTC rejected a kernel.
type CompileError struct {
	Status string // NVRTC's
	Log    string // what the compiler wrote, several lines
	Path   string // the source; "" if it could not be kept
	Keep   error  // why not
}

func (e *CompileError) Error() string {
	where := "source in " + e.Path
	if e.Path == "" {
		where = fmt.Sprintf("source not kept: %v", e.Keep)
	}
	line := e.Status
	for _, l := range strings.Split(e.Log, "\n") {
		if strings.Contains(l, "error") { // warnings may come before
			line = strings.TrimSpace(l)
			break
		}
	}
	return fmt.Sprintf("kernel does not compile (%s): %s", where, line)
}

// compile makes a CUBIN. name stands for the source in the log.
func (l *Libraries) compile(source, name string, options []string) ([]byte, *CompileError, error) {
	if !l.Has(NVRTC) {
		return nil, nil, errors.New("no NVRTC")
	}
	cubin, log, f := sysCompile(l.tab, source, name, options)
	if f == nil {
		return cubin, nil, nil
	}
	err := l.err(f)
	if log == "" {
		return nil, nil, err
	}
	return nil, &CompileError{Status: err.Error(), Log: log}, nil
}

// embedded are architectures of systems on a chip, whose code no other device runs.
var embedded = []int{53, 62, 72, 87, 88, 101, 110}

// Arch is the architecture to compile for, for a device: its own or, where NVRTC is
// older than the device, the newest of the same major that it knows, whose code the
// device runs.
func (l *Libraries) Arch(p Properties) (string, error) {
	if !l.Has(NVRTC) {
		return "", errors.New("no NVRTC")
	}
	archs, f := sysArchs(l.tab)
	if f != nil {
		return "", l.err(f)
	}
	best := -1
	for _, a := range archs {
		if own := a == 10*p.Major+p.Minor; own || a/10 == p.Major && a%10 < p.Minor && !slices.Contains(embedded, a) {
			best = max(best, a)
		}
	}
	if best < 0 {
		found, _ := l.Report.Library(NVRTC)
		return "", fmt.Errorf("NVRTC %s knows no architecture of %s (%s)", found.Version, p.Name, p.Arch())
	}
	return fmt.Sprintf("sm_%d", best), nil
}

// The cache of a Compiler, on disk: what it may hold, and what is kept when it is
// pruned. A kernel's CUBIN has some 10 KB.
const (
	cacheMost = 256 << 20
	cacheKept = 192 << 20
)

// A Compiler compiles kernels for one architecture, and keeps CUBINs on disk by
// their content: source, options, architecture, NVRTC's version and the size of its file. It may be used by
// several goroutines, and several processes may share a folder.
type Compiler struct {
	libs    *Libraries
	arch    string
	dir     string // "": nothing is kept
	options []string

	mu           sync.Mutex
	hits, misses int
	written      int64 // bytes since the folder was looked at; -1: it was not yet
}

// CacheDir is the folder in which CUBINs are kept: taso/cuda in the user's cache.
func CacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "taso", "cuda"), nil
}

// Compiler makes a compiler for an architecture, such as sm_90. dir is the folder of
// the cache, which is made when it is needed; "" is no cache. options are NVRTC's, behind
// the architecture and --std=c++14.
func (l *Libraries) Compiler(arch, dir string, options ...string) *Compiler {
	options = append([]string{"--gpu-architecture=" + arch, "--std=c++14"}, options...)
	return &Compiler{libs: l, arch: arch, dir: dir, options: options, written: -1}
}

// Arch is the architecture.
func (c *Compiler) Arch() string { return c.arch }

// Counts tells how many kernels came from the cache, and how many were compiled.
func (c *Compiler) Counts() (hits, misses int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.hits, c.misses
}

func (c *Compiler) count(n *int) {
	c.mu.Lock()
	*n++
	c.mu.Unlock()
}

// Compile returns the CUBIN of a source. A kernel that does not compile is a
// [CompileError], and its source is kept in a file. That the cache cannot be written is
// no error.
func (c *Compiler) Compile(source string) ([]byte, error) {
	key := c.key(source)
	if cubin := c.cached(key); cubin != nil {
		c.count(&c.hits)
		return cubin, nil
	}
	c.count(&c.misses)
	cubin, bad, err := c.libs.compile(source, "kernel.cu", c.options)
	if err != nil {
		return nil, fmt.Errorf("compile a kernel for %s: %w", c.arch, err)
	}
	if bad != nil {
		bad.Path, bad.Keep = c.keepSource(key, source)
		return nil, bad
	}
	c.keep(key, cubin)
	return cubin, nil
}

// key names a source's CUBIN. The size of NVRTC's file tells libraries apart that call
// themselves the same version: builds of one version, and a fake.
func (c *Compiler) key(source string) string {
	found, _ := c.libs.Report.Library(NVRTC)
	size := int64(-1)
	if info, err := os.Stat(found.Path); err == nil {
		size = info.Size()
	}
	h := sha256.New()
	for _, s := range append([]string{"NVRTC", found.Version, strconv.FormatInt(size, 10), c.arch, source}, c.options...) {
		fmt.Fprintf(h, "%d:%s\n", len(s), s)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// magic starts a file of the cache; its key, the checksum of the rest, and the CUBIN
// follow.
const magic = "taso cubin 1\n"

func sum(key string, cubin []byte) []byte {
	h := sha256.New()
	io.WriteString(h, key)
	h.Write(cubin)
	return h.Sum(nil)
}

func (c *Compiler) file(key string) string { return filepath.Join(c.dir, key+".cubin") }

// cached reads a CUBIN; a file that is damaged is as one that is not there.
func (c *Compiler) cached(key string) []byte {
	if c.dir == "" {
		return nil
	}
	data, err := os.ReadFile(c.file(key))
	if err != nil || len(data) < len(magic)+sha256.Size || string(data[:len(magic)]) != magic {
		return nil
	}
	check, cubin := data[len(magic):len(magic)+sha256.Size], data[len(magic)+sha256.Size:]
	if len(cubin) == 0 || !bytes.Equal(check, sum(key, cubin)) {
		return nil
	}
	return bytes.Clone(cubin) // aligned as a CUBIN is
}

// keep writes a CUBIN. Two processes that write the same write the same content.
func (c *Compiler) keep(key string, cubin []byte) {
	if c.dir == "" || os.MkdirAll(c.dir, 0o777) != nil {
		return
	}
	err := atomicfile.WriteFile(c.file(key), func(w io.Writer) error {
		for _, part := range [][]byte{[]byte(magic), sum(key, cubin), cubin} {
			if _, err := w.Write(part); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		c.prune(int64(len(magic) + sha256.Size + len(cubin)))
	}
}

// prune removes the files that were written longest ago, once there are more bytes
// than the cache may hold. It looks at the folder at the first write, and each time
// that this process alone has written a quarter of it.
func (c *Compiler) prune(wrote int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.written >= 0 && c.written+wrote < (cacheMost-cacheKept) {
		c.written += wrote
		return
	}
	c.written = 0
	pruneFolder(c.dir, cacheMost, cacheKept)
}

// ours says whether a name in the folder is that of a CUBIN, of one that was not written to
// its end, or of a source that did not compile. The folder may hold what is others' too,
// choices of algorithms among it, which is neither counted nor removed.
func ours(name string) bool {
	return strings.Contains(name, ".cubin") || strings.Contains(name, "failed-") && strings.Contains(name, ".cu")
}

// pruneFolder brings a folder with more than most bytes of CUBINs down to kept.
func pruneFolder(dir string, most, kept int64) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	var files []os.FileInfo
	var total int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && ours(e.Name()) {
			files = append(files, info)
			total += info.Size()
		}
	}
	if total <= most {
		return
	}
	sort.Slice(files, func(i, j int) bool { return files[i].ModTime().Before(files[j].ModTime()) })
	for _, f := range files {
		if total <= kept {
			return
		}
		if os.Remove(filepath.Join(dir, f.Name())) == nil {
			total -= f.Size()
		}
	}
}

// keepSource writes the source of a kernel that does not compile into the cache's
// folder, or the system's for temporary files.
func (c *Compiler) keepSource(key, source string) (string, error) {
	name := "failed-" + key[:16] + ".cu"
	var first error
	for _, dir := range []string{c.dir, os.TempDir()} {
		if dir == "" {
			continue
		}
		path := filepath.Join(dir, name)
		err := os.MkdirAll(dir, 0o777)
		if err == nil {
			err = atomicfile.WriteFile(path, func(w io.Writer) error {
				_, err := io.WriteString(w, source)
				return err
			})
		}
		if err == nil {
			return path, nil
		}
		if first == nil {
			first = err
		}
	}
	return "", first
}
