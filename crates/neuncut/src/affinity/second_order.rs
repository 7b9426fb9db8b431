//! The graph of rows whose self-expressive coefficients agree.
//!
//! Where a first-order graph joins two rows because one is part of the other's expression, this one joins rows that are expressed by the
//! same others: each row's coefficients are made a unit vector, and its nearest vectors are its neighbours. It is what SENet (Zhang, You,
//! Vidal and Li, CVPR 2021) and ESC (You, Li, Robinson and Vidal, ECCV 2018) cluster.

use super::products::{Entry, Largest};
use crate::graph::Csr;
use rayon::prelude::*;

/// `(N + N') / 2`, where `N` joins each row by weights of one to the `neighbors` rows whose coefficients have the largest cosine with its own,
/// ties to the smaller row. Rows without a cosine above zero have no neighbours. `columns` is how many things rows are expressed by.
pub fn second_order_graph(coefficients: &[Vec<(u32, f32)>], columns: usize, neighbors: usize) -> Csr {
    let units: Vec<Vec<Entry>> = coefficients.iter().map(|row| unit(row)).collect();
    let mut users: Vec<Vec<Entry>> = vec![Vec::new(); columns]; // who is expressed by a column
    for (i, row) in units.iter().enumerate() {
        row.iter().for_each(|&(j, c)| users[j as usize].push((i as u32, c)));
    }
    let n = units.len();
    let nearest: Vec<Vec<Entry>> = units
        .par_iter()
        .enumerate()
        .map_init(
            || vec![0.0_f32; n],
            |cosines, (i, row)| {
                cosines.fill(0.0);
                for &(j, c) in row {
                    users[j as usize].iter().for_each(|&(other, d)| cosines[other as usize] += c * d);
                }
                let mut kept = Largest::new(neighbors);
                for (j, &cosine) in cosines.iter().enumerate().filter(|&(j, &cosine)| j != i && cosine > 0.0) {
                    kept.offer((j as u32, cosine));
                }
                kept.finish()
            },
        )
        .collect();
    let rows = nearest.iter().enumerate();
    Csr::symmetrized(n, rows.flat_map(|(i, near)| near.iter().map(move |&(j, _)| (i as u32, j, 1.0))))
}

/// Coefficients of length one.
fn unit(row: &[Entry]) -> Vec<Entry> {
    let length = row.iter().map(|&(_, c)| f64::from(c) * f64::from(c)).sum::<f64>().sqrt() as f32;
    if length > 0.0 { row.iter().map(|&(j, c)| (j, c / length)).collect() } else { Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;
    use crate::affinity::SelfExpressive;
    use ndarray::{Array2, array};
    use rand::RngExt;

    #[test]
    fn rows_that_are_expressed_alike_are_joined() {
        // by hand: 0 and 1 use the first column, 2 and 3 the second with opposite signs, 4 both, 5 nothing
        let rows: [&[Entry]; 6] =
            [&[(0, 2.0)], &[(0, 1.0), (1, 0.1)], &[(1, 1.0)], &[(1, -3.0)], &[(0, 1.0), (1, 1.0)], &[]];
        let rows: Vec<Vec<Entry>> = rows.iter().map(|row| row.to_vec()).collect();
        let graph = second_order_graph(&rows, 2, 1);
        let dense = graph.multiply(Array2::eye(6).view());
        let mut expected = Array2::<f32>::zeros((6, 6));
        for (i, j, w) in [(0, 1, 1.0), (2, 4, 0.5), (4, 1, 0.5)] {
            (expected[[i, j]], expected[[j, i]]) = (w, w);
        }
        assert_eq!(dense, expected, "row 3 has no cosine above zero, and row 5 no coefficient");
    }

    #[test]
    fn is_the_graph_of_whole_matrices() {
        let mut rng = Seed(8).stream("second order");
        let rows = Array2::from_shape_fn((40, 6), |_| rng.random::<f32>() - 0.5);
        let expression = SelfExpressive::fit(rows.view(), 0.01, Some(3)).unwrap();
        let coefficients = expression.coefficients(rows.view(), 39);
        let mut whole = Array2::<f32>::zeros((40, 40));
        for (i, row) in coefficients.iter().enumerate() {
            assert!(row.iter().any(|entry| entry.1 < 0.0), "signs are kept");
            row.iter().for_each(|&(j, c)| whole[[i, j as usize]] = c);
        }
        assert!((&whole - &whole.t()).iter().all(|x| x.abs() < 1e-6), "closed-form coefficients are symmetric");
        crate::features::unit_rows(&mut whole);
        let cosines = whole.dot(&whole.t());
        let graph = second_order_graph(&coefficients, 40, 3);
        for i in 0..40 {
            let mut others: Vec<usize> = (0..40).filter(|&j| j != i).collect();
            others.sort_by(|&a, &b| cosines[[i, b]].total_cmp(&cosines[[i, a]]));
            let neighbors: Vec<usize> = graph.neighbors(i).map(|(j, _)| j).collect();
            assert!(others[..3].iter().all(|j| neighbors.contains(j)), "row {i}");
        }
        assert_eq!(second_order_graph(&[vec![(0, 1.0)], vec![(0, 1.0)]], 1, 3).row(0), (&[1][..], &[1.0][..]));
        assert_eq!(array![1.0_f32, 1.0], second_order_graph(&[vec![(0, 1.0)], vec![(0, 2.0)]], 1, 3).degrees());
    }
}
