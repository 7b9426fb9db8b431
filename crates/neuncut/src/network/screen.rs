//! Labels from rounded products, of the rows where rounding cannot have changed them.
//!
//! Products of numbers in sixteen bits take half the time. For each row a bound `e` of how far the rounded network's activations are
//! from those of the network in `f32` goes along with the layers; `x` are the first, `W` a layer's weights, `X` and `R` both rounded:
//!
//! `|x W - X R| <= |W| e + |W - R| |X| + (the sums' own rounding)`,
//!
//! with spectral norms of matrices. ReLU brings activations no further apart, and what rounding the next ones takes away is measured. Two
//! outputs together are off by at most the square root of two times the last bound: where the first leads by more, the label is that of
//! the network in `f32`, to the bit. Other rows are left to it.

use super::Weights;
use super::cpu_mlp::add_bias;
use crate::linalg::{Packed, PackedRows, Pair, Rounded, length, spectral_bound};
use ndarray::{Array2, ArrayView1, ArrayView2};
use rayon::prelude::*;
use std::cell::Cell;

/// Below so many weights rounding takes as long as is won.
const FEWEST_WEIGHTS: usize = 1 << 15;
/// Half a unit in the last place of one, in `f32`.
const UNIT: f64 = 1.0 / (1 << 24) as f64;
/// For bounds that are themselves computed in `f32`.
const SLACK: f32 = 1.001;
/// A larger bound says nothing: where a sum or a bias leaves the range of `f32`, `sums` and `shift` alone are a hundred times that.
const LARGEST_BOUND: f32 = 1e30;
/// A lead below which two memberships may be equal after softmax.
const LEAST_LEAD: f32 = 1e-4;

/// A network in sixteen bits.
pub(crate) struct Screen<'a> {
    layers: Vec<RoundedLayer<'a>>,
}

struct RoundedLayer<'a> {
    weights: Packed<Pair>,
    bias: &'a [f32],
    /// The norm of the weights, from above.
    norm: f32,
    /// The norm of what rounding took away from them, from above.
    off: f32,
    /// How far sums in `f32` may be off, for inputs of length one.
    sums: f32,
    /// How far adding the bias may be off.
    shift: f32,
}

/// Rows on their way through the layers.
#[derive(Default)]
struct Tile {
    shown: PackedRows<Pair>,
    next: PackedRows<Pair>,
    lengths: Vec<Rounded>,
    bounds: Vec<f32>,
    outputs: Array2<f32>,
}

impl<'a> Screen<'a> {
    /// The network rounded, where this processor has fast products of such numbers and there is something to win.
    pub fn of(weights: &'a Weights) -> Option<Self> {
        let count: usize = weights.layers.iter().map(|layer| layer.weight.len()).sum();
        (Pair::is_fast() && count >= FEWEST_WEIGHTS).then(|| Self::new(weights))
    }

    /// The network rounded, also where that is slower.
    #[cfg(test)]
    pub fn forced(weights: &'a Weights) -> Self {
        Self::new(weights)
    }

    /// Rows below which to round the layers and to bound their norms takes longer than is won: both go with the cube of a layer's width.
    /// Layers 512 wide were measured: 10,000 rows took as long either way.
    pub fn fewest_rows(weights: &Weights) -> usize {
        let widths = weights.layers.iter().map(|layer| layer.weight.nrows().min(layer.weight.ncols()));
        20 * widths.max().unwrap_or(0)
    }

    fn new(weights: &'a Weights) -> Self {
        let rounded = |layer: &'a super::Layer| {
            let weights = layer.weight.view();
            let sums = (weights.nrows() + 4) as f64 * UNIT * length(weights.iter().copied());
            let (norm, off) =
                rayon::join(|| spectral_bound(weights), || spectral_bound(weights.mapv(Pair::off).view()));
            RoundedLayer {
                weights: Packed::rounded(weights),
                bias: layer.bias.as_slice().expect("a bias lies in one piece"),
                norm,
                off,
                sums: sums as f32 * SLACK,
                shift: (4.0 * UNIT * length(layer.bias.iter().copied())) as f32,
            }
        };
        Self { layers: weights.layers.par_iter().map(rounded).collect() }
    }

    /// The label of each row `(n, d)` that is certain, on the calling thread: for as many rows as stay in the cache.
    pub fn label(&self, rows: ArrayView2<f32>, labels: &mut [Option<u32>]) {
        thread_local!(static KEPT: Cell<Option<Box<Tile>>> = Cell::default());
        let mut tile = KEPT.take().unwrap_or_default();
        self.run(rows, &mut tile);
        for ((label, outputs), bound) in labels.iter_mut().zip(tile.outputs.rows()).zip(&tile.bounds) {
            let (first, lead) = leader(outputs);
            *label = (lead > std::f32::consts::SQRT_2 * SLACK * bound + LEAST_LEAD).then_some(first);
        }
        KEPT.set(Some(tile));
    }

    /// Outputs of the last layer, and how far each row of them may be from those in `f32`.
    fn run(&self, rows: ArrayView2<f32>, tile: &mut Tile) {
        let Some((last, before)) = self.layers.split_last() else { return };
        let Tile { shown, next, lengths, bounds, outputs } = tile;
        shown.pack_rounded(rows, lengths);
        bounds.clear();
        bounds.extend(lengths.iter().map(|row| row.off()));
        for layer in before {
            layer.widen(bounds, lengths);
            layer.weights.chain(shown, next, lengths, |column, entries| add_bias(entries, &layer.bias[column..], true));
            bounds.iter_mut().zip(&*lengths).for_each(|(bound, row)| *bound += row.off());
            std::mem::swap(shown, next);
        }
        last.widen(bounds, lengths);
        if outputs.dim() != (rows.nrows(), last.weights.columns()) {
            *outputs = Array2::zeros((rows.nrows(), last.weights.columns()));
        }
        last.weights.end_of_chain(shown, outputs.view_mut(), |column, entries| {
            add_bias(entries, &last.bias[column..], false);
        });
    }
}

impl RoundedLayer<'_> {
    /// From bounds of what goes in to bounds of what comes out, before it is rounded.
    fn widen(&self, bounds: &mut [f32], lengths: &[Rounded]) {
        for (bound, row) in bounds.iter_mut().zip(lengths) {
            let length = row.length();
            *bound = self.norm * *bound + self.off * length + self.sums * (2.0 * length + *bound) + self.shift;
            if *bound > LARGEST_BOUND {
                *bound = f32::INFINITY;
            }
        }
    }
}

/// The place of the largest entry, and by how much it is larger than all others.
fn leader(outputs: ArrayView1<f32>) -> (u32, f32) {
    let (mut first, mut best, mut second) = (0, f32::NEG_INFINITY, f32::NEG_INFINITY);
    for (place, &value) in (0..).zip(outputs) {
        if value > best {
            (first, second, best) = (place, best, value);
        } else if value > second {
            second = value;
        }
    }
    (first, best - second)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::network::Layer;
    use ndarray::{Array1, Axis, concatenate};
    use rand::RngExt;

    fn random_rows(n: usize, d: usize, scale: f32, name: &str) -> Array2<f32> {
        let mut rng = Seed(6).stream(name);
        Array2::from_shape_fn((n, d), |_| (rng.random::<f32>() - 0.5) * scale)
    }

    #[test]
    fn outputs_are_no_further_off_than_the_bound() {
        for (sizes, scale) in
            [(&[30, 64, 48, 7][..], 1.0), (&[500, 96, 10], 1e-3), (&[3, 200, 2], 1e6), (&[40, 5], 1.0)]
        {
            let weights = Weights::random(sizes, &mut Seed(4).stream("weights"));
            let rows = random_rows(168, sizes[0], scale, "rows");
            let (exact, mut tile) = (weights.outputs(rows.view()), Tile::default());
            Screen::new(&weights).run(rows.view(), &mut tile);
            let (mut allowed, mut shown) = (0.0, 0.0);
            for ((exact, rounded), &bound) in exact.rows().into_iter().zip(tile.outputs.rows()).zip(&tile.bounds) {
                let off = length((&exact - &rounded).into_iter());
                assert!(off > 0.0 && off <= f64::from(bound), "{sizes:?}: {off} where {bound} is allowed");
                allowed += f64::from(bound);
                shown += length(exact.iter().copied());
            }
            // of use: eight bits, in each layer; one with random weights makes what is off longer by 1 + sqrt(inputs / outputs) than what
            // it is to show, of which ReLU leaves half
            let longer = sizes.windows(2).map(|pair| 2.0_f64.sqrt() * (1.0 + (pair[0] as f64 / pair[1] as f64).sqrt()));
            let useful = longer.product::<f64>() * (sizes.len() - 1) as f64 / 256.0 * shown;
            assert!(allowed < useful, "{sizes:?}: {allowed} where {useful} would be of use");
        }
    }

    /// A network that knows which of some rows another is nearest to, and such rows.
    fn sure(clusters: usize) -> (Weights, Array2<f32>) {
        let mut weights = Weights::random(&[50, 64, 64, clusters], &mut Seed(4).stream("weights"));
        let centers = random_rows(clusters, 50, 1.0, "centers");
        let before = Weights { layers: weights.layers[..2].to_vec() };
        let shown = before.outputs(centers.view()).mapv(|x| x.max(0.0));
        let bias: Array1<f32> = shown.rows().into_iter().map(|row| -50.0 * row.dot(&row)).collect();
        weights.layers[2] = Layer { weight: shown.t().mapv(|x| 100.0 * x), bias };
        let near = random_rows(300, 50, 0.1, "near");
        let rows = Array2::from_shape_fn((300, 50), |(i, j)| centers[[i % clusters, j]] + near[[i, j]]);
        (weights, rows)
    }

    #[test]
    fn certain_labels_are_those_of_the_network_and_most_are_where_it_is_sure() {
        let (weights, clear) = sure(5);
        let between = random_rows(300, 50, 1.0, "between");
        let rows = concatenate![Axis(0), clear, between];
        let mut labels = vec![None; rows.nrows()];
        Screen::new(&weights).label(rows.view(), &mut labels);
        let exact = weights.labels(&crate::features::Pipeline::default(), rows.view());
        let wrong =
            labels.iter().zip(&exact).filter(|(label, exact)| label.is_some_and(|label| label != **exact)).count();
        let certain = |labels: &[Option<u32>]| labels.iter().flatten().count();
        assert_eq!(wrong, 0);
        assert!(certain(&labels[..300]) > 270, "{}", certain(&labels[..300]));
        assert!(certain(&labels[300..]) < 300);
    }

    #[test]
    fn what_cannot_be_told_apart_stays_in_doubt() {
        let (mut weights, rows) = sure(4);
        let twin = weights.layers[2].weight.column(1).to_owned();
        weights.layers[2].weight.column_mut(3).assign(&twin);
        weights.layers[2].bias[3] = weights.layers[2].bias[1];
        let mut labels = vec![None; rows.nrows()];
        Screen::new(&weights).label(rows.view(), &mut labels);
        assert!(labels.iter().all(|label| !matches!(label, Some(1 | 3))), "two clusters have the same weights");
        assert!(labels.contains(&Some(0)));
        for extreme in [f32::MAX, f32::NAN, f32::INFINITY] {
            let mut rows = rows.clone();
            rows.column_mut(7).fill(extreme);
            Screen::new(&weights).label(rows.view(), &mut labels);
            assert!(labels.iter().all(Option::is_none), "{extreme}");
        }
        // sums leave the range of f32, though lengths do not
        let mut overflow = Weights { layers: vec![Layer { weight: Array2::zeros((16, 2)), bias: Array1::zeros(2) }] };
        overflow.layers[0].weight[[0, 1]] = 2.0_f32.powi(100);
        let large = Array2::from_shape_fn((4, 16), |(_, j)| if j == 0 { 2.0_f32.powi(28) } else { 0.0 });
        Screen::new(&overflow).label(large.view(), &mut labels[..4]);
        assert!(labels[..4].iter().all(Option::is_none));
        // squares of such numbers are zero in f32, so that nothing is known of what rounding took away
        weights.layers[0].weight *= 1e25;
        Screen::new(&weights).label((&rows * 1e-25).view(), &mut labels);
        assert!(labels.iter().all(Option::is_none));
    }
}
