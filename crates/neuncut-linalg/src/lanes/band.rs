//! A band-pass filter ready for use: product with a spectrum and subsampling in one pass over the frequencies where it is not zero.

use super::registers::{Complex, ComplexLanes, Vector};

/// Responses below this share of the peak are left out: far below the rounding of a coefficient.
const NEGLIGIBLE: f64 = 1e-8;

/// A frequency that is heard, and how much of it.
#[derive(Debug, Clone, Copy)]
struct Term {
    from: u32,
    gain: f32,
}

/// A filter that takes a spectrum to that of the filtered and subsampled image.
#[derive(Debug, Clone)]
pub struct Band {
    /// Frequencies of the spectrum.
    heard: usize,
    /// Columns that are left.
    columns: usize,
    /// What folds onto each frequency that is left, one after the other; and where each begins, row by row, the end included.
    terms: Vec<Term>,
    begins: Vec<u32>,
}

/// One row of a filtered spectrum.
pub(super) struct FilteredRow<'a> {
    spectrum: &'a [ComplexLanes],
    terms: &'a [Term],
    begins: &'a [u32],
}

impl Band {
    /// The real filter `response` of `height` x `width` frequencies, with subsampling by `2^halvings` along each axis. Gains include
    /// the factors of the subsampling and of the inverse transform that follows, so that neither is applied again.
    ///
    /// # Panics
    /// If the response has another size.
    pub fn new(height: usize, width: usize, response: &[f64], halvings: usize) -> Self {
        assert_eq!(response.len(), height * width, "the frequencies of a filter");
        let (rows, columns) = (height >> halvings, width >> halvings);
        let scale = 1.0 / response.len() as f64; // 1 / (4^halvings * rows * columns)
        let floor = NEGLIGIBLE * response.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
        let is_heard = |v: &f64| v.abs() > floor;
        // the frequencies of each stretch that folds onto one row, from the first that is heard to the last
        let heard: Vec<_> = response
            .chunks_exact(columns)
            .map(|stretch| stretch.iter().position(is_heard)..stretch.iter().rposition(is_heard).map(|last| last + 1))
            .collect();
        let (mut terms, mut begins) = (Vec::new(), vec![0]);
        for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
            let lines = (row..height).step_by(rows);
            let stretches = lines.flat_map(|line| line << halvings..(line + 1) << halvings);
            for stretch in stretches.filter(|&stretch| heard[stretch].contains(&Some(column))) {
                let from = stretch * columns + column;
                terms.push(Term { from: from as u32, gain: (response[from] * scale) as f32 });
            }
            begins.push(terms.len() as u32);
        }
        Self { heard: response.len(), columns, terms, begins }
    }

    /// One row of the filtered spectrum, computed where it is read.
    ///
    /// # Panics
    /// If the spectrum is smaller than the filter.
    #[inline(always)]
    pub(super) fn row<'a>(&'a self, row: usize, spectrum: &'a [ComplexLanes]) -> FilteredRow<'a> {
        let begins = &self.begins[row * self.columns..=(row + 1) * self.columns];
        FilteredRow { spectrum: &spectrum[..self.heard], terms: &self.terms, begins }
    }
}

impl FilteredRow<'_> {
    #[inline(always)]
    pub fn get<V: Vector>(&self, kx: usize) -> Complex<V> {
        let mut sum = Complex::<V>::zero();
        for term in &self.terms[self.begins[kx] as usize..self.begins[kx + 1] as usize] {
            sum = sum + Complex::load(&self.spectrum[term.from as usize]).scaled(term.gain);
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::super::registers::{LANES, Lanes, Portable};
    use super::*;

    #[test]
    fn folds_every_frequency_onto_its_alias() {
        let response: Vec<f64> = (1..=8).map(f64::from).collect();
        let one = ComplexLanes { re: Lanes([1.0; LANES]), im: Lanes::ZERO };
        let band = Band::new(4, 2, &response, 1);
        // row 0 takes rows 0 and 2 of both columns, row 1 takes 1 and 3; all over 8
        for (row, sum) in [(0, 1.0 + 2.0 + 5.0 + 6.0), (1, 3.0 + 4.0 + 7.0 + 8.0)] {
            let mut filtered = ComplexLanes::ZERO;
            band.row(row, &[one; 8]).get::<Portable>(0).store(&mut filtered);
            assert_eq!(filtered, ComplexLanes { re: Lanes([sum / 8.0; LANES]), im: Lanes::ZERO });
        }
    }
}
