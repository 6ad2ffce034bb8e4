package fake

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Options say what the fake libraries are like; the zero value is one good device
// with CUDA 12.9.
type Options struct {
	Driver    int      // the CUDA of the driver, such as 12090; 0: that
	CUDA      int      // of NVRTC and cuBLASLt; 0: 12090
	CuDNN     int      // its version; 0: 91002. Below 90000 it is as cuDNN 8
	CuDNNCUDA int      // the CUDA that cuDNN is for; 0: CUDA
	Without   []string // functions that are missing, or whole libraries: driver, NVRTC, cuBLASLt, cuDNN

	NoDevice   bool
	Devices    int   // 0: 1
	Memory     int64 // bytes of each device; 0: 2 GiB
	Capability int   // such as 86; 0: 90
	Init       int   // what cuInit returns

	Empty     bool // work is checked, but not done
	Unchecked bool // kernels run without checks of each access, some ten times faster
	Races     bool // races of kernels are no faults
	Noise     int  // percent by which work takes longer at most, by chance; 0: times are exact
	Refuse    int  // so many of the best algorithms of a list are refused when work is issued

	Fail Failure
	// Own: the test looks at problems and leaks itself. Else it fails where there
	// are any at its end.
	Own bool
}

// Failure is a call of the libraries that fails.
type Failure struct {
	Call int  // its number, from 1; 0: none
	Code int  // what it returns; 0: what its library returns when something is wrong inside
	Lose bool // the device is lost by it: from then on the driver returns 719
}

// The environment variables that dl looks at, by which the libraries are found.
const (
	envDriver    = "TASO_LIBCUDA"
	envLibraries = "TASO_CUDA_LIBDIR"
)

// set is a setting of the C side.
type set struct {
	name  string
	value int64
}

// env is the variable that sets it in another process.
func (s set) env() string { return "TASO_FAKE_" + strings.ToUpper(s.name) }

// settings are the options that the C side is told.
func (o Options) settings() []set {
	var list []set
	add := func(name string, v int64) {
		if v != 0 {
			list = append(list, set{name, v})
		}
	}
	yes := func(name string, b bool) {
		if b {
			add(name, 1)
		}
	}
	cuda := o.cuda()
	add("driver_version", int64(o.Driver))
	add("nvrtc_version", int64(cuda))
	add("cublaslt_version", int64(cuda/1000*10000+cuda/10%100*100+1))
	add("cudnn_version", int64(o.CuDNN))
	add("cudnn_cuda", int64(max(o.CuDNNCUDA, 0)))
	if o.CuDNNCUDA == 0 {
		add("cudnn_cuda", int64(cuda))
	}
	add("devices", int64(o.Devices))
	if o.NoDevice {
		list = append(list, set{"devices", 0})
	}
	add("memory", o.Memory)
	if o.Capability != 0 {
		list = append(list, set{"major", int64(o.Capability / 10)}, set{"minor", int64(o.Capability % 10)})
	}
	add("init", int64(o.Init))
	yes("empty", o.Empty)
	yes("unchecked", o.Unchecked)
	yes("races", o.Races)
	add("noise", int64(o.Noise))
	add("refuse", int64(o.Refuse))
	add("fail", int64(o.Fail.Call))
	add("code", int64(o.Fail.Code))
	yes("lose", o.Fail.Lose)
	return list
}

func (o Options) cuda() int {
	if o.CUDA == 0 {
		return 12090
	}
	return o.CUDA
}

// shells are the files of the libraries: their names, and the library they are.
func (o Options) shells() map[string]string {
	major := o.cuda() / 1000
	rtc, lt, dnn := fmt.Sprintf("libnvrtc.so.%d", major), fmt.Sprintf("libcublasLt.so.%d", major), "libcudnn.so.9"
	if major == 11 {
		rtc = "libnvrtc.so.11.2"
	}
	if o.CuDNN != 0 && o.CuDNN < 90000 {
		dnn = "libcudnn.so.8"
	}
	files := map[string]string{"libcuda.so.1": "driver", rtc: "NVRTC", lt: "cuBLASLt", dnn: "cuDNN"}
	for file, lib := range files {
		if slices.Contains(o.Without, lib) {
			delete(files, file)
		}
	}
	return files
}

// Libraries builds the libraries, has the environment of the test name them, so that
// package dl loads them, and returns what controls them. State of the libraries is
// one for the process: a test that uses them cannot be parallel. It is skipped
// where there is no cgo.
func Libraries(t testing.TB, options ...Options) *Control {
	t.Helper()
	var o Options
	if len(options) > 0 {
		o = options[0]
	}
	c, err := control(o)
	if errors.Is(err, ErrNoCgo) {
		t.Skip(err)
	} else if err != nil {
		t.Fatal(err)
	}
	t.Setenv(envDriver, c.dir)
	t.Setenv(envLibraries, c.dir)
	t.Cleanup(func() {
		if !o.Own {
			for _, p := range append(c.Problems(), c.Leaks()...) {
				t.Errorf("fake: %s", p)
			}
		}
		c.o = Options{}
		c.Reset() // a test after this one may use others
	})
	return c
}

// Environment is the environment, as NAME=VALUE, in which another process loads the
// libraries. Beside it TASO_FAKE_REPORT may name a file, in which that process tells how
// many calls it made ("calls: 12") and then, line by line, what is not given back
// ("leak: 2 of stream") and what else was wrong ("problem: ...").
func Environment(o Options) ([]string, error) {
	dir, err := build(o)
	if err != nil {
		return nil, err
	}
	env := []string{envDriver + "=" + dir, envLibraries + "=" + dir}
	for _, s := range o.settings() {
		env = append(env, fmt.Sprintf("%s=%d", s.env(), s.value))
	}
	return env, nil
}
