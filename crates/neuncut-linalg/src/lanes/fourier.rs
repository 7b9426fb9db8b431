//! Two-dimensional Fourier transforms of one size: of real images to spectra, and of filtered spectra to moduli.

use super::band::{Band, FilteredRow};
use super::line::{Line, Row, Sink, Source};
use super::registers::{Complex, ComplexLanes, Lanes, Vector, on_lanes};

/// Transforms of images of `rows` x `columns`; no factor is applied either way.
pub struct Fourier {
    rows: usize,
    columns: usize,
    along_row: Line,
    along_column: Line,
}

/// Working memory of the transforms.
pub struct FourierBuffers {
    plane: Vec<ComplexLanes>,
    passes: Vec<ComplexLanes>,
}

impl Fourier {
    /// Prepares transforms of one size.
    pub fn new(rows: usize, columns: usize) -> Self {
        Self { rows, columns, along_row: Line::new(columns), along_column: Line::new(rows) }
    }

    /// Numbers in an image.
    #[allow(clippy::len_without_is_empty, reason = "no image is empty")]
    pub fn len(&self) -> usize {
        self.rows * self.columns
    }

    /// Working memory for transforms of this size and smaller ones.
    pub fn scratch(&self) -> FourierBuffers {
        let passes = self.along_row.scratch_len().max(self.along_column.scratch_len());
        let zeros = |length| vec![ComplexLanes::ZERO; length];
        FourierBuffers { plane: zeros(self.len()), passes: zeros(passes) }
    }

    /// The spectrum of a real image whose sizes are even. Two rows make one complex row, and half of the spectrum is the
    /// mirror image of the other half.
    ///
    /// # Panics
    /// If memory for image, spectrum or scratch is too small.
    pub fn forward(&self, image: &[Lanes], spectrum: &mut [ComplexLanes], scratch: &mut FourierBuffers) {
        let sizes = (&image[..self.len()], &mut spectrum[..self.len()]);
        forward(self, sizes.0, sizes.1, &mut scratch.plane, &mut scratch.passes);
    }

    /// The moduli of the image that a band leaves of a spectrum.
    ///
    /// # Panics
    /// If memory for spectrum, moduli or scratch is too small.
    pub fn moduli(&self, band: &Band, spectrum: &[ComplexLanes], moduli: &mut [Lanes], scratch: &mut FourierBuffers) {
        moduli_of_band(self, band, spectrum, &mut moduli[..self.len()], scratch);
    }
}

on_lanes! {
    fn forward = forward_of(
        fourier: &Fourier,
        image: &[Lanes],
        spectrum: &mut [ComplexLanes],
        plane: &mut [ComplexLanes],
        passes: &mut [ComplexLanes],
    )
}

#[inline(always)]
fn forward_of<V: Vector>(
    fourier: &Fourier,
    image: &[Lanes],
    spectrum: &mut [ComplexLanes],
    plane: &mut [ComplexLanes],
    passes: &mut [ComplexLanes],
) {
    let (rows, columns) = (fourier.rows, fourier.columns);
    for (pair, source) in plane.chunks_exact_mut(columns).zip(image.chunks_exact(2 * columns)) {
        let (even, odd) = source.split_at(columns);
        fourier.along_row.transform::<V>(RowPair { even, odd }, Row(&mut *pair), passes);
    }
    for kx in 0..=columns / 2 {
        let mirror = (columns - kx) % columns;
        let unpacked = Unpacked { plane, columns, kx, mirror };
        fourier.along_column.transform::<V>(unpacked, Mirrored { spectrum, rows, columns, kx, mirror }, passes);
    }
}

on_lanes! {
    fn moduli_of_band = moduli_of(
        fourier: &Fourier, band: &Band, spectrum: &[ComplexLanes], moduli: &mut [Lanes], scratch: &mut FourierBuffers
    )
}

#[inline(always)]
fn moduli_of<V: Vector>(
    fourier: &Fourier,
    band: &Band,
    spectrum: &[ComplexLanes],
    moduli: &mut [Lanes],
    scratch: &mut FourierBuffers,
) {
    let FourierBuffers { plane, passes } = scratch;
    let columns = fourier.columns;
    for (ky, row) in plane.chunks_exact_mut(columns).take(fourier.rows).enumerate() {
        fourier.along_row.transform::<V>(Swapped(band.row(ky, spectrum)), Row(&mut *row), passes);
    }
    for x in 0..columns {
        fourier.along_column.transform::<V>(Column { plane, columns, x }, Moduli { moduli, columns, x }, passes);
    }
}

/// Two real rows as one of complex numbers.
struct RowPair<'a> {
    even: &'a [Lanes],
    odd: &'a [Lanes],
}

impl<V: Vector> Source<V> for RowPair<'_> {
    #[inline(always)]
    fn get(&self, x: usize) -> Complex<V> {
        Complex { re: V::load(&self.even[x]), im: V::load(&self.odd[x]) }
    }
}

/// One frequency of each row, out of the transforms of pairs of rows.
struct Unpacked<'a> {
    plane: &'a [ComplexLanes],
    columns: usize,
    kx: usize,
    mirror: usize,
}

impl<V: Vector> Source<V> for Unpacked<'_> {
    #[inline(always)]
    fn get(&self, y: usize) -> Complex<V> {
        let first = y / 2 * self.columns;
        let z = Complex::<V>::load(&self.plane[first + self.kx]).scaled(0.5);
        let m = Complex::<V>::load(&self.plane[first + self.mirror]).scaled(0.5);
        // of the even row `z + conj(m)`, of the odd one `z - conj(m)` turned by a quarter, clockwise
        if y.is_multiple_of(2) {
            Complex { re: z.re + m.re, im: z.im - m.im }
        } else {
            Complex { re: z.im + m.im, im: m.re - z.re }
        }
    }
}

/// A column of a spectrum and the one that mirrors it.
struct Mirrored<'a> {
    spectrum: &'a mut [ComplexLanes],
    rows: usize,
    columns: usize,
    kx: usize,
    mirror: usize,
}

impl<V: Vector> Sink<V> for Mirrored<'_> {
    #[inline(always)]
    fn put(&mut self, ky: usize, z: Complex<V>) {
        z.store(&mut self.spectrum[ky * self.columns + self.kx]);
        if self.mirror != self.kx {
            let mirrored = if ky == 0 { 0 } else { self.rows - ky };
            z.conj().store(&mut self.spectrum[mirrored * self.columns + self.mirror]);
        }
    }
}

/// A row that is to be transformed back: so are numbers whose parts are exchanged.
struct Swapped<'a>(FilteredRow<'a>);

impl<V: Vector> Source<V> for Swapped<'_> {
    #[inline(always)]
    fn get(&self, kx: usize) -> Complex<V> {
        self.0.get::<V>(kx).swapped()
    }
}

/// A column of a plane.
struct Column<'a> {
    plane: &'a [ComplexLanes],
    columns: usize,
    x: usize,
}

impl<V: Vector> Source<V> for Column<'_> {
    #[inline(always)]
    fn get(&self, y: usize) -> Complex<V> {
        Complex::load(&self.plane[y * self.columns + self.x])
    }
}

/// The moduli of a column.
struct Moduli<'a> {
    moduli: &'a mut [Lanes],
    columns: usize,
    x: usize,
}

impl<V: Vector> Sink<V> for Moduli<'_> {
    #[inline(always)]
    fn put(&mut self, y: usize, z: Complex<V>) {
        z.modulus().store(&mut self.moduli[y * self.columns + self.x]);
    }
}

#[cfg(test)]
mod tests {
    use super::super::registers::{LANES, Portable};
    use super::*;
    use std::f32::consts::TAU;

    const ROWS: usize = 6;
    const COLUMNS: usize = 4;

    fn value(i: usize, lane: usize) -> f32 {
        ((i * 7 + lane * 3) % 11) as f32 - 5.0
    }

    fn image() -> Vec<Lanes> {
        (0..ROWS * COLUMNS).map(|i| Lanes(std::array::from_fn(|lane| value(i, lane)))).collect()
    }

    #[test]
    fn a_spectrum_is_the_sum_by_definition() {
        let fourier = Fourier::new(ROWS, COLUMNS);
        let mut spectrum = vec![ComplexLanes::ZERO; fourier.len()];
        fourier.forward(&image(), &mut spectrum, &mut fourier.scratch());
        for (k, lane) in (0..fourier.len()).flat_map(|k| (0..LANES).map(move |lane| (k, lane))) {
            let (ky, kx) = (k / COLUMNS, k % COLUMNS);
            let (mut re, mut im) = (0.0, 0.0);
            for i in 0..fourier.len() {
                let turn = (ky * (i / COLUMNS)) as f32 / ROWS as f32 + (kx * (i % COLUMNS)) as f32 / COLUMNS as f32;
                let (sin, cos) = (-TAU * turn).sin_cos();
                (re, im) = (re + value(i, lane) * cos, im + value(i, lane) * sin);
            }
            let found = spectrum[k];
            assert!((found.re.0[lane] - re).hypot(found.im.0[lane] - im) < 1e-4, "{ky} {kx} of image {lane}");
        }
    }

    #[test]
    fn a_band_of_all_frequencies_gives_the_image_back_on_every_processor() {
        let fourier = Fourier::new(ROWS, COLUMNS);
        let band = Band::new(ROWS, COLUMNS, &vec![1.0; fourier.len()], 0);
        let (mut scratch, mut spectrum) = (fourier.scratch(), vec![ComplexLanes::ZERO; fourier.len()]);
        let (mut moduli, mut portable) = (image(), image());
        fourier.forward(&image(), &mut spectrum, &mut scratch);
        fourier.moduli(&band, &spectrum, &mut moduli, &mut scratch);
        for (i, found) in moduli.iter().enumerate() {
            (0..LANES).for_each(|lane| assert!((found.0[lane] - value(i, lane).abs()).abs() < 1e-5));
        }
        moduli_of::<Portable>(&fourier, &band, &spectrum, &mut portable, &mut scratch);
        assert_eq!(moduli, portable);
    }
}
