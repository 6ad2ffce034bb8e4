package dl

import (
	"fmt"
	"os"
	"strings"
	"unsafe"
)

// OldestDriver is the oldest CUDA that a driver may be of, as 1000*major + 10*minor.
const OldestDriver = 11040

// sonames are the names of the libraries, by CUDA's major version, newest first.
// cuDNN numbers itself, and says which CUDA it is for when it is asked.
var sonames = map[Library][]soname{
	NVRTC:    {{"libnvrtc.so.13", 13}, {"libnvrtc.so.12", 12}, {"libnvrtc.so.11.2", 11}},
	CuBLASLt: {{"libcublasLt.so.13", 13}, {"libcublasLt.so.12", 12}, {"libcublasLt.so.11", 11}},
	CuDNN:    {{"libcudnn.so.9", 0}, {"libcudnn.so.8", 0}},
}

type soname struct {
	name  string
	major int // 0: told by the library only
}

// Libraries are the libraries that were loaded, and the report of how.
type Libraries struct {
	Report Report
	tab    unsafe.Pointer // taso_libs; lives as long as the process, as the libraries do
}

// Has says whether a library was found.
func (l *Libraries) Has(lib Library) bool {
	_, ok := l.Report.Library(lib)
	return ok
}

// Load looks for the libraries and opens those it chooses: the driver; NVRTC and
// cuBLASLt of one CUDA major, not above the driver's; cuDNN of the same. The error,
// one line, says why nothing can run: no driver, one that is too old, no NVRTC, no
// cgo. The libraries are returned then, too, with the report.
func Load() (*Libraries, error) { return load(theSystem) }

func load(s search) (*Libraries, error) {
	l := &Libraries{Report: Report{Cgo: hasCgo, Kernel: kernelModule("/proc/driver/nvidia/version")}}
	defer func() { l.Report.Lacks = l.Report.lacks() }()
	if !hasCgo {
		return l, errNoCgo
	}
	f := finder{search: s, report: &l.Report, tab: sysTables()}
	l.tab = f.tab
	err := f.driver()
	if missing := f.others(); err == nil {
		err = missing
	}
	return l, err
}

// kernelModule reads the version of the driver's kernel module, "" if there is none.
func kernelModule(path string) string {
	data, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(data), "\n")
	for _, word := range strings.Fields(line) {
		if word[0] >= '0' && word[0] <= '9' && strings.Contains(word, ".") {
			return word
		}
	}
	return strings.TrimSpace(line)
}

// A finder is a search that is under way.
type finder struct {
	search
	report *Report
	tab    unsafe.Pointer
	driven int // the driver's CUDA major; 0: there is no driver
}

// An opened library is one that could be chosen.
type opened struct {
	probe
	lib Library
	try int // its place in the report
}

func (f *finder) tell(t Try) { f.report.Tries = append(f.report.Tries, t) }

// open opens a candidate; what does not do for a library is told and shut.
func (f *finder) open(lib Library, c candidate) (opened, bool) {
	if c.why != "" {
		f.tell(Try{Library: lib, Path: c.path, Result: c.why, Absent: true})
		return opened{}, false
	}
	p := sysProbe(lib.number(), c.path)
	t := Try{Library: lib, Path: c.path}
	if p.path != "" {
		t.Path = p.path
	}
	switch {
	case p.handle == nil && !strings.Contains(c.path, "/") && noSuch(p.err, c.path):
		t.Result, t.Absent = "not in "+loaderFolders, true
	case p.handle == nil:
		t.Result = oneLine(p.err)
	case p.missing != "":
		t.Result = "has no function " + p.missing
	default:
		t.Version = version(lib, p.version)
		f.tell(t)
		return opened{p, lib, len(f.report.Tries) - 1}, true
	}
	f.tell(t)
	if p.handle != nil {
		sysShut(p.handle)
	}
	return opened{}, false
}

// noSuch says whether the loader's text is that it has no library of that name; it
// names another one where a library is there, and what that needs is not.
func noSuch(text, name string) bool {
	return strings.HasPrefix(text, name+":") && strings.Contains(text, "No such file")
}

// reject shuts a library that was opened and says why.
func (f *finder) reject(o opened, why string) {
	f.report.Tries[o.try].Result = why
	sysShut(o.handle)
}

func (f *finder) choose(o opened) {
	t := &f.report.Tries[o.try]
	t.Result, t.Chosen = "chosen", true
	sysTake(f.tab, o.lib.number(), o.handle)
	f.report.Found = append(f.report.Found, Found{o.lib, t.Path, t.Version, cudaVersion(o.cuda)})
}

// driver chooses the driver, or says why there is none.
func (f *finder) driver() error {
	list, looked := f.drivers()
	old := ""
	for _, c := range list {
		o, ok := f.open(Driver, c)
		switch {
		case !ok:
		case o.cuda == 0:
			f.reject(o, "does not tell its version")
		case o.cuda < OldestDriver:
			f.reject(o, fmt.Sprintf("too old: CUDA %s, want %s", cudaVersion(o.cuda), cudaVersion(OldestDriver)))
			if old == "" {
				old = cudaVersion(o.cuda)
			}
		default:
			f.choose(o)
			f.driven = int(o.cuda / 1000)
			return nil
		}
	}
	if old != "" {
		return fmt.Errorf("CUDA driver is too old: it is of CUDA %s, want %s", old, cudaVersion(OldestDriver))
	}
	why := ""
	if f.getenv(EnvDriver) != "" {
		last := f.report.Tries[len(f.report.Tries)-1]
		why = ": " + last.Result
	}
	return fmt.Errorf("no CUDA driver found (looked in %s)%s", looked, why)
}

// others chooses the libraries beside the driver, and says whether what nothing
// runs without is missing.
func (f *finder) others() error {
	dirs, none, asked := f.folders()
	looked := []string{}
	if f.loader && !asked {
		looked = append(looked, loaderFolders)
	}
	looked = append(append(looked, dirs...), none...)

	// The newest major that has both; else the newest with a compiler.
	var rtc, lt opened
	var haveRTC, haveLT bool
	for i, s := range sonames[NVRTC] {
		if f.driven > 0 && s.major > f.driven {
			for _, lib := range []Library{NVRTC, CuBLASLt} {
				f.tell(Try{Library: lib, Path: sonames[lib][i].name, Result: fmt.Sprintf("not looked for: the driver is of CUDA %d", f.driven)})
			}
			continue
		}
		r, okR := f.find(NVRTC, s, s.major, dirs, asked)
		b, okB := f.find(CuBLASLt, sonames[CuBLASLt][i], s.major, dirs, asked)
		better := okR && (!haveRTC || okB) || !haveRTC && !haveLT && okB
		if !better {
			f.drop(r, okR)
			f.drop(b, okB)
			continue
		}
		f.drop(rtc, haveRTC)
		f.drop(lt, haveLT)
		rtc, haveRTC, lt, haveLT = r, okR, b, okB
		if okR && okB {
			break
		}
	}
	major := f.driven
	if haveLT {
		major = int(lt.cuda / 1000)
		f.choose(lt)
	}
	if haveRTC {
		major = int(rtc.cuda / 1000)
		f.choose(rtc)
	}
	// cuDNN comes last: what it needs of the others is loaded then.
	for _, s := range sonames[CuDNN] {
		if o, ok := f.find(CuDNN, s, major, dirs, asked); ok {
			f.choose(o)
			break
		}
	}
	for _, p := range none {
		f.tell(Try{Library: "all", Path: p, Result: "no such folder", Absent: true})
	}
	if !haveRTC {
		return fmt.Errorf("no NVRTC found, which compiles the kernels (looked in %s)", strings.Join(looked, ", "))
	}
	return nil
}

func (f *finder) drop(o opened, ok bool) {
	if ok {
		f.reject(o, "another major was chosen")
	}
}

// find opens the first candidate for a library that is of a CUDA major; 0: of any.
func (f *finder) find(lib Library, s soname, major int, dirs []string, asked bool) (opened, bool) {
	var list []candidate
	if f.loader && !asked {
		list = append(list, candidate{path: s.name})
	}
	for _, dir := range dirs {
		list = append(list, inFolder(dir, s.name))
	}
	for _, c := range list {
		o, ok := f.open(lib, c)
		if !ok {
			continue
		}
		if got := int(o.cuda / 1000); major != 0 && got != major {
			f.reject(o, fmt.Sprintf("for CUDA %d, not %d", got, major))
			continue
		}
		return o, true
	}
	return opened{}, false
}

// cudaVersion writes 1000*major + 10*minor.
func cudaVersion(v int64) string { return fmt.Sprintf("%d.%d", v/1000, v%1000/10) }

// version writes a library's own number.
func version(lib Library, v int64) string {
	switch {
	case lib == CuBLASLt: // 120903
		return fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100)
	case lib == CuDNN && v >= 90000: // 90100
		return fmt.Sprintf("%d.%d.%d", v/10000, v/100%100, v%100)
	case lib == CuDNN: // 8907
		return fmt.Sprintf("%d.%d.%d", v/1000, v/100%10, v%100)
	}
	return cudaVersion(v)
}

// oneLine takes the line ends out of a library's text.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }
