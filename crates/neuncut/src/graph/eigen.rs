//! Leading eigenvectors of the normalised affinity `D^-1/2 A D^-1/2`, and the lowest of the Laplacian `D - A`: the only
//! owner of faer.
//!
//! Small graphs are solved densely. Larger ones by subspace iteration with a Chebyshev filter (Zhou and Saad): a block of
//! vectors is multiplied by a polynomial that is small on the unwanted part of the spectrum and large on the wanted part,
//! then rotated to Ritz vectors. A block method sees multiple eigenvalues (graphs in several pieces), its work is bounded,
//! and spare vectors in the block make it fast where thin shapes crowd eigenvalues near 1. faer's own partial solver is not
//! used: it may loop for ever (faer-rs issue 262).

use super::Csr;
use crate::interrupt::{self, Interrupt};
use crate::linalg::matmul;
use crate::vector::wide;
use crate::{Error, Result, Seed};
use faer::diag::Diag;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::{Mat, Par};
use ndarray::{Array1, Array2, ArrayView2, Zip, s};
use rand::RngExt;
use rayon::prelude::*;

/// Up to this many nodes the dense solver is used.
const DENSE_LIMIT: usize = 600;
/// From this size on the dense solver works in parallel, always in as many tasks.
const PARALLEL_SIZE: usize = 200;
const TASKS: usize = 8;
/// Rows per task at least in products with the graph.
const TASK_ROWS: usize = 64;
/// The lower end of the spectrum of every normalised affinity.
const LOWEST: f64 = -1.0;
/// How much a filter makes the last wanted eigenvector grow against the unwanted ones, and at most the first against the last.
const GROWTH: f64 = 2e4;
const SPREAD: f64 = 1e10;

/// Precision and bounds of the eigensolver.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EigenOptions {
    /// Largest `|N v - lambda v|` accepted for a unit eigenvector.
    pub tolerance: f64,
    /// Most products of the graph with the block of vectors.
    pub max_products: usize,
}

impl Default for EigenOptions {
    fn default() -> Self {
        Self { tolerance: 1e-6, max_products: 6000 }
    }
}

/// Eigenvalues in descending order with their unit eigenvectors.
#[derive(Debug, Clone)]
pub struct Eigenpairs {
    /// Largest first.
    pub values: Vec<f64>,
    /// One column an eigenvector, `(n, count)`.
    pub vectors: Array2<f64>,
    /// The largest residual `|N v - lambda v|` among them.
    pub residual: f64,
    /// Whether the residual met the tolerance.
    pub converged: bool,
}

/// The `count` largest eigenpairs of `D^-1/2 A D^-1/2`; nodes without edges count as zero rows.
///
/// When the work bound is met first, the best approximation is returned with `converged` false.
///
/// # Errors
/// When there are not so many eigenpairs, or a weight is not finite.
pub fn top_eigenpairs(graph: &Csr, count: usize, options: EigenOptions) -> Result<Eigenpairs> {
    top_eigenpairs_until(interrupt::current(), graph, count, options)
}

/// The same on any thread, until `interrupt`.
pub(crate) fn top_eigenpairs_until(
    interrupt: Interrupt,
    graph: &Csr,
    count: usize,
    options: EigenOptions,
) -> Result<Eigenpairs> {
    let diagonal = Array1::zeros(graph.len());
    let guess = graph.degrees().mapv(|d| f64::from(d).sqrt());
    largest(&Operator { couplings: normalized_affinity(graph), diagonal, interrupt }, guess, count, options)
}

/// The `count` smallest eigenpairs of the Laplacian `D - A`, smallest first; a node without edges is a piece of its own.
///
/// They are the largest of `I - L / b`, where `b` is twice the largest degree, and no eigenvalue of `L` exceeds that.
///
/// # Errors
/// When there are not so many eigenpairs, or a weight is not finite.
pub fn lowest_laplacian_eigenpairs(graph: &Csr, count: usize, options: EigenOptions) -> Result<Eigenpairs> {
    let n = graph.len();
    let largest_degree = graph.degrees().iter().copied().fold(0.0, f32::max);
    let bound = 2.0 * f64::from(if largest_degree > 0.0 { largest_degree } else { 1.0 });
    let couplings = graph.map_weights(|_, _, w| (f64::from(w) / bound) as f32);
    // from the rounded couplings, so that rows sum to one and the lowest eigenvalue is zero
    let sum = |i: usize| couplings.row(i).1.iter().map(|&w| f64::from(w)).sum::<f64>();
    let diagonal = (0..n).map(|i| 1.0 - sum(i)).collect();
    let operator = Operator { couplings, diagonal, interrupt: interrupt::current() };
    let mut pairs = largest(&operator, Array1::ones(n), count, options)?;
    pairs.values.iter_mut().for_each(|value| *value = bound * (1.0 - *value));
    Ok(pairs)
}

/// A symmetric matrix whose spectrum lies between -1 and 1.
struct Operator {
    /// What is beside the diagonal.
    couplings: Csr,
    diagonal: Array1<f64>,
    /// Looked at before each product.
    interrupt: Interrupt,
}

/// The largest eigenpairs; `guess` is the leading eigenvector of a connected graph.
fn largest(operator: &Operator, guess: Array1<f64>, count: usize, options: EigenOptions) -> Result<Eigenpairs> {
    let n = operator.couplings.len();
    if count == 0 || count > n {
        return Err(Error::config("eigenvectors", count, format!("between 1 and the number of rows, {n}")));
    }
    if operator.couplings.degrees().iter().any(|d| !d.is_finite()) {
        return Err(Error::Degenerate("the affinity has a weight that is not finite".into()));
    }
    if n <= DENSE_LIMIT || 2 * count >= n { dense(operator, count) } else { filtered(operator, guess, count, options) }
}

/// `D^-1/2 A D^-1/2`.
pub fn normalized_affinity(graph: &Csr) -> Csr {
    let scale = graph.degrees().mapv(|d| if d > 0.0 { 1.0 / d.sqrt() } else { 0.0 });
    graph.map_weights(|i, j, w| w * scale[i] * scale[j])
}

/// All eigenpairs of a small symmetric matrix, largest first.
///
/// # Errors
/// When an entry is not finite.
pub fn symmetric_eigen(matrix: ArrayView2<f64>) -> Result<(Vec<f64>, Array2<f64>)> {
    let n = matrix.nrows();
    let symmetric = Mat::from_fn(n, n, |i, j| 0.5 * (matrix[[i, j]] + matrix[[j, i]]));
    // faer's own choice is as many tasks as there are threads, and its sums depend on the number of tasks
    let tasks = if n < PARALLEL_SIZE { Par::Seq } else { Par::rayon(TASKS) };
    let (mut s, mut u) = (Diag::zeros(n), Mat::zeros(n, n));
    let scratch = self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, tasks, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(symmetric.as_ref(), s.as_mut(), Some(u.as_mut()), tasks, stack, Default::default())
        .map_err(|_| Error::Degenerate("the dense eigensolver failed: the matrix is not finite".into()))?;
    let values = (0..n).rev().map(|i| s[i]).collect();
    let vectors = Array2::from_shape_fn((n, n), |(i, j)| u[(i, n - 1 - j)]);
    Ok((values, vectors))
}

fn dense(operator: &Operator, count: usize) -> Result<Eigenpairs> {
    let n = operator.couplings.len();
    let mut matrix = Array2::from_diag(&operator.diagonal);
    for i in 0..n {
        for (j, w) in operator.couplings.neighbors(i) {
            matrix[[i, j]] = f64::from(w);
        }
    }
    let (mut values, vectors) = symmetric_eigen(matrix.view())?;
    values.truncate(count);
    let vectors = vectors.slice(s![.., ..count]).to_owned();
    let residual = residual(operator, &vectors, &values);
    Ok(Eigenpairs { values, vectors, residual, converged: true })
}

fn filtered(operator: &Operator, guess: Array1<f64>, count: usize, options: EigenOptions) -> Result<Eigenpairs> {
    let n = operator.couplings.len();
    let width = (count + (count / 4).max(16)).min(n / 2 + 1).max(count);
    let mut rng = Seed(0).stream("eigenvectors");
    let mut block = Array2::from_shape_fn((n, width), |_| rng.random::<f64>() - 0.5);
    block.column_mut(0).assign(&guess);
    let mut products = 0;
    let mut degree = 10;
    let mut lowest_wanted = 0.0; // first guess: the upper half of the spectrum is wanted
    loop {
        block = filter(operator, block, lowest_wanted, degree);
        products += degree + 2;
        let (values, ritz) = rayleigh_ritz(operator, orthonormal(orthonormal(block)?)?)?;
        let wanted = ritz.slice(s![.., ..count]).to_owned();
        let reached = residual(operator, &wanted, &values[..count]);
        let converged = reached <= options.tolerance;
        if converged || products >= options.max_products {
            return Ok(Eigenpairs { values: values[..count].to_vec(), vectors: wanted, residual: reached, converged });
        }
        lowest_wanted = values[width - 1].clamp(-0.9, 1.0 - 1e-9);
        degree = filter_degree(values[0], values[count - 1], lowest_wanted);
        block = ritz;
    }
}

/// The degree that makes an eigenvector at `wanted` grow ten-thousandfold against those at or below `cut`, as far as one at `largest` does
/// not outgrow it so much that nothing of it is left between the digits.
fn filter_degree(largest: f64, wanted: f64, cut: f64) -> usize {
    let growth = |value: f64| ((value - 0.5 * (cut + LOWEST)) / (0.5 * (cut - LOWEST))).max(1.0 + 1e-12).acosh();
    let useful = (GROWTH.ln() / growth(wanted)).ceil().clamp(8.0, 120.0);
    let harmless = SPREAD.ln() / (growth(largest) - growth(wanted)).max(1e-12);
    useful.min(harmless).max(2.0) as usize
}

/// Multiplies each column by the Chebyshev polynomial of this degree that stays within one on `[LOWEST, cut]`, scaled to
/// keep values at 1 of order one.
fn filter(operator: &Operator, block: Array2<f64>, cut: f64, degree: usize) -> Array2<f64> {
    let centre = 0.5 * (cut + LOWEST);
    let half = 0.5 * (cut - LOWEST);
    let first_scale = half / (1.0 - centre);
    let mut scale = first_scale;
    let mut previous = block;
    let mut current = Array2::zeros(previous.dim());
    chebyshev_step(operator, &previous, &mut current, centre, scale / half, 0.0);
    for _ in 1..degree {
        let next_scale = 1.0 / (2.0 / first_scale - scale);
        // previous <- 2 next/half (N - centre) current - scale next previous
        chebyshev_step(operator, &current, &mut previous, centre, 2.0 * next_scale / half, scale * next_scale);
        std::mem::swap(&mut previous, &mut current);
        scale = next_scale;
    }
    current
}

/// `out <- gain (N - centre) block - decay out`, in parallel over rows.
///
/// # Panics
/// If a block does not lie row by row.
fn chebyshev_step(operator: &Operator, block: &Array2<f64>, out: &mut Array2<f64>, centre: f64, gain: f64, decay: f64) {
    operator.interrupt.heed();
    let width = block.ncols();
    let (Some(block), Some(out)) = (block.as_slice(), out.as_slice_mut()) else { panic!("blocks lie row by row") };
    out.par_chunks_mut(width.max(1)).enumerate().with_min_len(TASK_ROWS).for_each(|(i, row)| {
        let own = gain * (operator.diagonal[i] - centre);
        let before = &block[i * width..(i + 1) * width];
        row.iter_mut().zip(before).for_each(|(o, &x)| *o = own * x - decay * *o);
        let (columns, weights) = operator.couplings.row(i);
        add_neighbors(row, columns, weights, gain, block);
    });
}

wide! {
    /// Adds the rows of `block` that `columns` name, each times its weight and `gain`.
    fn add_neighbors(row: &mut [f64], columns: &[u32], weights: &[f32], gain: f64, block: &[f64]) {
        for (&j, &w) in columns.iter().zip(weights) {
            let factor = gain * f64::from(w);
            let first = j as usize * row.len();
            let other = &block[first..first + row.len()];
            row.iter_mut().zip(other).for_each(|(o, x)| *o += factor * x);
        }
    }
}

fn multiply(operator: &Operator, block: &Array2<f64>) -> Array2<f64> {
    let mut product = Array2::zeros(block.dim());
    chebyshev_step(operator, block, &mut product, 0.0, 1.0, 0.0);
    product
}

/// An orthonormal basis of the columns, by the eigenvectors of their Gram matrix (SVQB). Called twice for full precision.
fn orthonormal(mut block: Array2<f64>) -> Result<Array2<f64>> {
    for mut column in block.columns_mut() {
        let norm = column.dot(&column).sqrt();
        if norm > 0.0 {
            column.mapv_inplace(|x| x / norm);
        }
    }
    let (values, mut rotation) = symmetric_eigen(matmul(block.t(), block.view()).view())?;
    let floor = values[0] * 1e-14;
    for (mut column, value) in rotation.columns_mut().into_iter().zip(&values) {
        column.mapv_inplace(|x| x / value.max(floor).sqrt());
    }
    Ok(matmul(block.view(), rotation.view()))
}

fn rayleigh_ritz(operator: &Operator, basis: Array2<f64>) -> Result<(Vec<f64>, Array2<f64>)> {
    let projected = matmul(basis.t(), multiply(operator, &basis).view());
    let (values, rotation) = symmetric_eigen(projected.view())?;
    Ok((values, matmul(basis.view(), rotation.view())))
}

/// The largest `|N v - lambda v|`.
fn residual(operator: &Operator, vectors: &Array2<f64>, values: &[f64]) -> f64 {
    let mut difference = multiply(operator, vectors);
    Zip::from(difference.rows_mut()).and(vectors.rows()).for_each(|mut out, row| {
        for ((o, &x), &value) in out.iter_mut().zip(row).zip(values) {
            *o -= value * x;
        }
    });
    let norms: Array1<f64> = difference.columns().into_iter().map(|c| c.dot(&c).sqrt()).collect();
    norms.iter().copied().fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn eigenpairs_are_the_same_bits_on_any_number_of_threads() {
        let mut rng = Seed(5).stream("threads");
        let noise = Array2::from_shape_fn((700, 700), |_| rng.random::<f64>() - 0.5);
        let edges = |i: u32| [(i, (i * 7 + 3) % 1500, 0.7), (i, (i * i + 1) % 1500, 0.4), (i, (i + 1) % 1500, 1.0)];
        let graph = Csr::symmetrized(1500, (0..1500).flat_map(edges));
        let on = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let dense = [30, 100, 300, 700].map(|n| symmetric_eigen(noise.slice(s![..n, ..n])).unwrap());
                (dense, top_eigenpairs(&graph, 9, EigenOptions::default()).unwrap())
            })
        };
        let (dense, sparse) = on(1);
        for threads in [2, 3, 8] {
            let (other_dense, other_sparse) = on(threads);
            for (one, other) in dense.iter().zip(&other_dense) {
                assert!(one == other, "{} columns on {threads} threads", one.1.ncols());
            }
            assert!(
                sparse.values == other_sparse.values && sparse.vectors == other_sparse.vectors,
                "{threads} threads"
            );
        }
    }

    fn ring(n: usize) -> Csr {
        Csr::symmetrized(n, (0..n).map(|i| (i as u32, ((i + 1) % n) as u32, 1.0)))
    }

    #[test]
    fn a_ring_has_its_known_spectrum() {
        let n = 2000;
        let options = EigenOptions { tolerance: 1e-8, ..Default::default() };
        let found = top_eigenpairs(&ring(n), 9, options).unwrap();
        assert!(found.converged, "residual {}", found.residual);
        for (rank, value) in found.values.iter().enumerate() {
            let frequency = rank.div_ceil(2) as f64; // 0, 1, 1, 2, 2, ...
            let expected = (2.0 * PI * frequency / n as f64).cos();
            assert!((value - expected).abs() < 1e-6, "{rank}: {value} for {expected}"); // weights are f32
        }
    }

    #[test]
    fn agrees_with_the_dense_solver() {
        let mut rng = Seed(1).stream("graph");
        let edges = (0..1500_u32)
            .flat_map(|i| (0..6).map(move |_| i))
            .map(|i| (i, rng.random_range(0..1500), rng.random::<f32>()));
        let graph = Csr::symmetrized(1500, edges.collect::<Vec<_>>().into_iter());
        let sparse = top_eigenpairs(&graph, 12, EigenOptions::default()).unwrap();
        let (diagonal, interrupt) = (Array1::zeros(1500), Interrupt::never());
        let operator = Operator { couplings: normalized_affinity(&graph), diagonal, interrupt };
        let full = dense(&operator, 12).unwrap();
        for (a, b) in sparse.values.iter().zip(&full.values) {
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
    }

    #[test]
    fn the_laplacian_of_a_path_has_its_known_spectrum() {
        for n in [300, 1200] {
            let path = Csr::symmetrized(n, (1..n).map(|i| (i as u32 - 1, i as u32, 2.0)));
            let found = lowest_laplacian_eigenpairs(&path, 6, EigenOptions { tolerance: 1e-9, ..Default::default() });
            let found = found.unwrap();
            assert!(found.converged, "residual {}", found.residual);
            for (rank, value) in found.values.iter().enumerate() {
                let expected = 2.0 - 2.0 * (PI * rank as f64 / n as f64).cos();
                assert!((value - expected).abs() < 1e-6, "{rank}: {value} for {expected}");
            }
        }
    }

    #[test]
    fn several_components_give_a_multiple_eigenvalue_one() {
        let n = 900_u32;
        let edges = (0..n).flat_map(|i| [(i, (i + 3) % n, 1.0), (i, (i + 6) % n, 1.0)]); // three interleaved rings
        let found = top_eigenpairs(&Csr::symmetrized(n as usize, edges), 5, EigenOptions::default()).unwrap();
        assert!(found.converged);
        assert!(
            found.values[..3].iter().all(|v| (v - 1.0).abs() < 1e-6) && found.values[3] < 1.0 - 1e-5,
            "{:?}",
            found.values
        );
    }

    #[test]
    fn eigenvalues_far_below_several_of_one_are_found_soon() {
        let (groups, size) = (20_u32, 300);
        let mut rng = Seed(2).stream("groups");
        let edges = (0..groups * size).flat_map(|i| (0..20).map(move |_| i));
        let edges: Vec<_> = edges.map(|i| (i, i / size * size + rng.random_range(0..size), 1.0)).collect();
        let graph = Csr::symmetrized((groups * size) as usize, edges.into_iter());
        let options = EigenOptions { tolerance: 1e-5, max_products: 300 };
        let found = top_eigenpairs(&graph, 41, options).unwrap();
        assert!(found.converged, "residual {}", found.residual);
        assert!((found.values[19] - 1.0).abs() < 1e-6 && (0.2..0.4).contains(&found.values[40]), "{:?}", found.values);
    }

    #[test]
    fn isolated_rows_and_equal_weights_end_in_an_answer() {
        let lonely = Csr::symmetrized(1000, [(0, 1, 1.0)].into_iter());
        let found = top_eigenpairs(&lonely, 3, EigenOptions::default()).unwrap();
        assert!(found.values.iter().all(|v| v.is_finite()) && (found.values[0] - 1.0).abs() < 1e-6);
        let complete = Csr::symmetrized(700, (0..700).flat_map(|i| (0..i).map(move |j| (i, j, 1.0))));
        let found = top_eigenpairs(&complete, 4, EigenOptions::default()).unwrap();
        assert!((found.values[0] - 1.0).abs() < 1e-5 && found.values[1].abs() < 0.01, "{:?}", found.values);
    }

    #[test]
    fn more_eigenvectors_than_rows_is_refused() {
        assert!(top_eigenpairs(&ring(10), 11, EigenOptions::default()).is_err());
    }
}
