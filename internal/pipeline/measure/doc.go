// Package measure is the command "taso measure" as a function: it times every
// different operator application of models on a backend, and every group of
// operators that would run as one kernel, and checks what the times are worth.
//
// Times go into a table (package cost), each as soon as it is taken: a run that
// was interrupted goes on where it stopped, and what is in the table already is
// not measured again. An application that the backend cannot run is listed with
// the reason and does not stop the others.
//
// Two checks follow when asked for. The sum of the times is compared with the
// time of whole runs (a prediction), beside what the formula of a machine says;
// and the machine's numbers are fitted to the times (a calibration).
package measure
