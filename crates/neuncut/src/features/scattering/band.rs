//! A wavelet ready for use: product with a spectrum and subsampling in one pass over the frequencies where it is not zero.

use super::filter_bank::Response;
use super::lanes::{Complex, ComplexLanes, Vector};

/// Responses below this share of the peak are left out: far below the rounding of a coefficient.
const NEGLIGIBLE: f64 = 1e-8;

/// Neighbouring frequencies that fold onto neighbouring frequencies of one row.
#[derive(Debug, Clone)]
struct Span {
    from: usize,
    to: usize,
    gains: Vec<f32>,
}

/// A wavelet that takes a spectrum to that of the filtered and subsampled image.
#[derive(Debug, Clone)]
pub(super) struct Band {
    /// What folds onto each row.
    rows: Vec<Vec<Span>>,
}

impl Band {
    /// The filter with subsampling by `2^halvings` along each axis. Gains include the factors of the subsampling and of the inverse
    /// transform that follows, so that neither is applied again.
    pub fn new(filter: &Response, halvings: usize) -> Self {
        let (rows, columns) = (filter.rows >> halvings, filter.columns >> halvings);
        let scale = 1.0 / filter.values.len() as f64; // 1 / (4^halvings * rows * columns)
        let floor = NEGLIGIBLE * filter.values.iter().fold(0.0, |a: f64, v| a.max(v.abs()));
        let span = |ky: usize, block: usize| {
            let values = &filter.values[ky * filter.columns..][block * columns..(block + 1) * columns];
            let is_heard = |v: &f64| v.abs() > floor;
            let (to, last) = (values.iter().position(is_heard)?, values.iter().rposition(is_heard)?);
            let gains = values[to..=last].iter().map(|v| (v * scale) as f32).collect();
            Some(Span { from: ky * filter.columns + block * columns + to, to, gains })
        };
        let folded = |row: usize| {
            let sources = (row..filter.rows).step_by(rows);
            let spans = sources.flat_map(|ky| (0..1 << halvings).filter_map(move |block| span(ky, block)));
            spans.collect()
        };
        Self { rows: (0..rows).map(folded).collect() }
    }

    /// One row of the filtered spectrum.
    #[inline(always)]
    pub fn row<V: Vector>(&self, row: usize, spectrum: &[ComplexLanes], filtered: &mut [ComplexLanes]) {
        filtered.fill(ComplexLanes::ZERO);
        for span in &self.rows[row] {
            let source = &spectrum[span.from..][..span.gains.len()];
            let target = &mut filtered[span.to..][..span.gains.len()];
            for ((out, x), &gain) in target.iter_mut().zip(source).zip(&span.gains) {
                (Complex::<V>::load(out) + Complex::load(x).scaled(gain)).store(out);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lanes::{LANES, Lanes, Portable};
    use super::*;

    #[test]
    fn folds_every_frequency_onto_its_alias() {
        let filter = Response { rows: 4, columns: 2, values: (1..=8).map(f64::from).collect() };
        let one = ComplexLanes { re: Lanes([1.0; LANES]), im: Lanes::ZERO };
        let band = Band::new(&filter, 1);
        // row 0 takes rows 0 and 2 of both columns, row 1 takes 1 and 3; all over 8
        for (row, sum) in [(0, 1.0 + 2.0 + 5.0 + 6.0), (1, 3.0 + 4.0 + 7.0 + 8.0)] {
            let mut filtered = [ComplexLanes::ZERO];
            band.row::<Portable>(row, &[one; 8], &mut filtered);
            assert_eq!(filtered, [ComplexLanes { re: Lanes([sum / 8.0; LANES]), im: Lanes::ZERO }]);
        }
    }
}
