//! Which rows are exemplars: the furthest-first search of ESC (You, Li, Robinson and Vidal, ECCV 2018).
//!
//! What exemplars `E` cost a unit row `x` is `f(x, E) = min_c |c|_1 + lambda/2 |x - E'c|^2`. The row of largest cost joins them until there are
//! enough. A cost only falls as exemplars join, so that one from before is a bound: rows are taken up again from the largest bound down, and
//! the search goes on when the largest is a cost of now.

use crate::Result;
use crate::features::{ElasticDescent, lasso};
use crate::linalg::{Cores, matmul_into};
use crate::train::Observer;
use ndarray::{Array2, ArrayView2, Axis, s};
use rayon::prelude::*;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

/// Rows that are taken up at a time.
const BATCH: usize = 64;
/// How far above the least cost there can be a row must be to join, in units of that: nearer ones are exemplars already, up to their sign
/// and to rounding.
const NEAR: f64 = 1e-3;

/// A row, the bound of its cost, and how many exemplars there were when it was made. The largest comes first, the first row of equals.
#[derive(Debug, PartialEq)]
struct Bound {
    cost: f64,
    row: Reverse<usize>,
    exemplars: usize,
}

impl Eq for Bound {}

impl PartialOrd for Bound {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Bound {
    fn cmp(&self, other: &Self) -> Ordering {
        self.cost.total_cmp(&other.cost).then(self.row.cmp(&other.row))
    }
}

/// Up to `count` exemplars among unit rows `(n, d)`, of which the first is given; fewer where all others are equal to some, up to their sign.
///
/// # Errors
/// When `observer` asks to stop.
pub fn furthest_first(
    units: ArrayView2<f32>,
    error_weight: f32,
    count: usize,
    first: usize,
    observer: &mut dyn Observer,
) -> Result<Vec<usize>> {
    let mut search = Search::new(units, error_weight, count.min(units.nrows()));
    let others = (0..units.nrows()).filter(|&row| row != first);
    let mut bounds: BinaryHeap<Bound> =
        others.map(|row| Bound { cost: f64::INFINITY, row: Reverse(row), exemplars: 0 }).collect();
    // a unit row that equals an exemplar, up to its sign
    let least = 1.0 - 0.5 / f64::from(error_weight);
    search.join(first);
    while search.exemplars.len() < search.most {
        observer.go_on()?;
        match search.furthest(&mut bounds) {
            Some(Bound { cost, row: Reverse(row), .. }) if cost > least * (1.0 + NEAR) => search.join(row),
            _ => break,
        }
    }
    Ok(search.exemplars)
}

/// The exemplars so far, and what all rows have to do with them.
struct Search<'a> {
    units: ArrayView2<'a, f32>,
    net: ElasticDescent,
    most: usize,
    exemplars: Vec<usize>,
    /// Products of rows with exemplars, `(n, most)`, of which the first columns are known.
    products: Array2<f32>,
    /// Coefficients of rows as they last were, `(n, most)`.
    coefficients: Array2<f32>,
    /// Products of exemplars, `(most, most)`.
    gram: Array2<f32>,
}

impl<'a> Search<'a> {
    fn new(units: ArrayView2<'a, f32>, error_weight: f32, most: usize) -> Self {
        let (n, zeros) = (units.nrows(), |rows| Array2::zeros((rows, most)));
        let (products, coefficients, gram) = (zeros(n), zeros(n), zeros(most));
        Self { units, net: lasso(error_weight), most, exemplars: Vec::new(), products, coefficients, gram }
    }

    /// Makes a row an exemplar.
    fn join(&mut self, row: usize) {
        let place = self.exemplars.len();
        self.exemplars.push(row);
        let mut product = Array2::zeros((self.units.nrows(), 1));
        let exemplar = self.units.slice(s![row..row + 1, ..]);
        matmul_into(product.view_mut(), self.units, exemplar.t(), Cores::All);
        self.products.column_mut(place).assign(&product.column(0));
        for (other, &exemplar) in self.exemplars.iter().enumerate() {
            let value = product[[exemplar, 0]];
            (self.gram[[place, other]], self.gram[[other, place]]) = (value, value);
        }
    }

    /// The row of largest cost, taken out of the bounds.
    fn furthest(&mut self, bounds: &mut BinaryHeap<Bound>) -> Option<Bound> {
        loop {
            let now = self.exemplars.len();
            if bounds.peek()?.exemplars == now {
                return bounds.pop();
            }
            let mut batch = Vec::with_capacity(BATCH);
            while batch.len() < BATCH && bounds.peek().is_some_and(|bound| bound.exemplars < now) {
                batch.extend(bounds.pop().map(|bound| bound.row.0));
            }
            let solved: Vec<(Vec<f32>, f64)> = batch.par_iter().map(|&row| self.solve(row)).collect();
            for (row, (coefficients, cost)) in batch.into_iter().zip(solved) {
                self.coefficients.row_mut(row).iter_mut().zip(coefficients).for_each(|(old, new)| *old = new);
                bounds.push(Bound { cost, row: Reverse(row), exemplars: now });
            }
        }
    }

    /// The coefficients of a row, from those that it had, and its cost.
    fn solve(&self, row: usize) -> (Vec<f32>, f64) {
        let known = s![row, ..self.exemplars.len()];
        let products = self.products.slice(known);
        let mut coefficients = self.coefficients.slice(known).to_vec();
        let mut left = products.to_vec();
        self.net.descend(&self.gram, &mut left, &mut coefficients);
        // |x - E'c|^2 = |x|^2 - c.(E x) - c.(E (x - E'c))
        let (mut absolute, mut explained) = (0.0_f64, 0.0_f64);
        for ((&c, &product), &left) in coefficients.iter().zip(products).zip(&left) {
            absolute += f64::from(c.abs());
            explained += f64::from(c) * (f64::from(product) + f64::from(left));
        }
        let squared: f64 = self.units.index_axis(Axis(0), row).iter().map(|&x| f64::from(x) * f64::from(x)).sum();
        (coefficients, absolute + 0.5 * f64::from(self.net.gamma) * (squared - explained).max(0.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::features::unit_rows;
    use crate::golden::Golden;
    use crate::train::Silent;

    #[test]
    fn exemplars_and_their_order_are_those_of_scikit_learns_lasso() {
        // see tests/golden/exemplars.py
        let golden = Golden::of(include_bytes!("../../tests/golden/exemplars.safetensors"));
        let (rows, expected) = (golden.matrix("rows"), golden.matrix("exemplars"));
        let found = furthest_first(rows.view(), 50.0, expected.nrows(), 5, &mut Silent).unwrap();
        assert_eq!(found, expected.column(0).iter().map(|&row| row as usize).collect::<Vec<usize>>());
        let code = crate::features::ExemplarCode::new(rows.select(Axis(0), &found), 50.0);
        let pipeline = crate::features::Pipeline { steps: vec![crate::features::Step::Exemplars(code)] };
        let coefficients = pipeline.transform(rows.view());
        let apart = (&coefficients - &golden.matrix("coefficients")).iter().fold(0.0_f32, |most, x| most.max(x.abs()));
        assert!(apart < 2e-3, "{apart} apart");
        let sparse: Vec<Vec<(u32, f32)>> = coefficients
            .rows()
            .into_iter()
            .map(|row| row.iter().enumerate().filter(|(_, c)| **c != 0.0).map(|(j, &c)| (j as u32, c)).collect())
            .collect();
        let graph =
            crate::affinity::second_order_graph(&sparse, found.len(), 3).multiply(Array2::eye(rows.nrows()).view());
        assert_eq!(graph, golden.matrix("graph"));
    }

    #[test]
    fn every_direction_becomes_an_exemplar_once() {
        // six directions, each five times with either sign, and a row of zeros
        let mut rows = Array2::from_shape_fn((31, 4), |(i, j)| {
            let direction = [[1.0, 0.0, 0.0, 0.2], [0.0, 1.0, 0.5, 0.0], [0.3, 0.0, 1.0, 0.0]][i % 3][j];
            let other = if i % 6 < 3 { 0.0 } else { 0.4 * (j as f32) };
            if i == 30 { 0.0 } else { (direction + other) * if i / 6 % 2 == 0 { 1.0 } else { -2.0 } }
        });
        unit_rows(&mut rows);
        let mut found = furthest_first(rows.view(), 100.0, 20, 0, &mut Silent).unwrap();
        found.sort_unstable_by_key(|row| row % 6);
        assert_eq!(found.iter().map(|row| row % 6).collect::<Vec<usize>>(), [0, 1, 2, 3, 4, 5]);
    }
}
