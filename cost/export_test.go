package cost

// SumOf is the checksum of an entry's bytes.
var SumOf = sumOf
