package lower

// Closer is a dilation, with the padding before the image, that reads the same cells: where
// the cells of a window of k are so far apart that one at most meets the image of n cells,
// wherever the window slides over slide cells, they need not be farther apart than that. So
// a padded image is no more than k times as long as what the window slides over.
func Closer(k, dilation, before, n, slide int) (int, int) {
	if k == 1 {
		return 1, before
	}
	// Cell r meets the image if its first place, r*dilation-before, is from -slide to n-1.
	most := n + slide + 1
	if dilation <= most {
		return dilation, before
	}
	r := (before + n - 1) / dilation // the last one that is not behind the image
	at := r*dilation - before
	if at < -slide {
		at = -slide - 1 // then the next one is behind it, as it was
	}
	return most, r*most - at
}
