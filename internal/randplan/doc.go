// Package randplan draws small graphs and small clusters on which all plans can be looked at,
// so that planners can be compared with the best there is.
package randplan
