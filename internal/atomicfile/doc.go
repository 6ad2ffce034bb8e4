// Package atomicfile writes files that are either complete or not there.
//
// A file is written under a temporary name in the folder of its target, flushed
// to the disk, and renamed onto the target (commit). Until then the target keeps
// its old content; when writing fails or is given up (abort), the temporary file
// is removed and the target is as it was. Readers therefore never see half a
// file, and a run that is interrupted leaves no broken result behind.
//
// The argument "-" has no meaning here: commands that take it for the standard
// output deal with it themselves. A target that is not a regular file (a device
// or a pipe, such as /dev/stdout) cannot be replaced by a rename and is written
// in place.
package atomicfile
