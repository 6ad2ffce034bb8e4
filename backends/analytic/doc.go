// Package analytic is the backend of a machine that is not there: it tells what
// operators would take on it by the roofline over the machine's description
// (package cost), and runs nothing.
//
// Its samples say that they are modelled. It supports every operator, opaque
// nodes included, so that any model has a cost on any machine; of an opaque
// node only the traffic is counted.
package analytic
