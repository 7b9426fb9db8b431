//! Near neighbours among very many rows: each row looks in the groups around it, and in no others.
//!
//! Rows are grouped by the nearest of some centres. How many groups a row must look in is read off a sample of rows whose true
//! neighbours are known: so many that [`RECALL`] of those would have been found. Where that is about all of them, the search is exact.

use super::{DIRECT_WIDTH, Neighbors, QUERY_TASKS, direct_distances, rank, search, search_blocks};
use crate::Seed;
use crate::linalg::Packed;
use crate::rows::{gather, squared_lengths};
use ndarray::{Array2, ArrayView2, s};
use rand::seq::SliceRandom;
use std::ops::Range;

/// Rows of a group on average.
const GROUP: usize = 1000;
/// Rows per group from which centres are learnt, and how often each is moved to the mean of its rows.
const LEARNT_FROM: usize = 64;
const MOVES: usize = 5;
/// Rows whose true neighbours are looked up, and the share of these that must lie in the groups that are looked in.
const SAMPLE: usize = 1000;
pub(super) const RECALL: f64 = 0.98;
/// Above this share of all groups the exact search is as fast.
const MOST: f64 = 0.25;
/// Query rows of a task where distances are computed by differences.
const DIRECT_BLOCK: usize = 256;

/// The nearest other rows of each row, and the share of the true ones that they are, by the sample.
pub(super) fn search_groups(rows: ArrayView2<f32>, count: usize) -> (Neighbors, f64) {
    search_groups_of(GROUP, rows, count)
}

/// The same with so many rows of a group on average.
fn search_groups_of(size: usize, rows: ArrayView2<f32>, count: usize) -> (Neighbors, f64) {
    let centers = centers(rows, rows.nrows().div_ceil(size));
    let group_of: Vec<u32> = search(rows, centers.view(), 1, false).indices.into_raw_vec_and_offset().0;
    let (looked_in, recall) = groups_to_look_in(rows, centers.view(), &group_of, count);
    if looked_in as f64 > MOST * centers.nrows() as f64 {
        return (search(rows, rows, count, true), 1.0);
    }
    let groups = Groups::of(rows, &group_of, centers);
    (groups.search(count, looked_in), recall)
}

/// Rows at random, moved a few times to the mean of those that are nearest to them.
fn centers(rows: ArrayView2<f32>, count: usize) -> Array2<f32> {
    let sample = drawn(rows, count * LEARNT_FROM, "centres of groups");
    let mut centers = sample.slice(s![..count, ..]).to_owned();
    for _ in 0..MOVES {
        let nearest = search(sample.view(), centers.view(), 1, false).indices;
        let (mut sums, mut sizes) = (Array2::<f32>::zeros(centers.dim()), vec![0.0_f32; count]);
        for (row, &group) in sample.rows().into_iter().zip(&nearest) {
            sums.row_mut(group as usize).scaled_add(1.0, &row);
            sizes[group as usize] += 1.0;
        }
        for (group, &size) in sizes.iter().enumerate().filter(|(_, size)| **size > 0.0) {
            centers.row_mut(group).assign(&(&sums.row(group) / size));
        }
    }
    centers
}

/// So many rows at random, always the same.
fn drawn(rows: ArrayView2<f32>, count: usize, purpose: &str) -> Array2<f32> {
    gather(rows, &drawn_numbers(rows.nrows(), count, purpose))
}

fn drawn_numbers(n: usize, count: usize, purpose: &str) -> Vec<usize> {
    let mut numbers: Vec<usize> = (0..n).collect();
    let (drawn, _) = numbers.partial_shuffle(&mut Seed(0).stream(purpose), count);
    drawn.to_vec()
}

/// In how many of the groups nearest to a row its neighbours must be looked for, and the share of them that is found there.
fn groups_to_look_in(rows: ArrayView2<f32>, centers: ArrayView2<f32>, group_of: &[u32], count: usize) -> (usize, f64) {
    let sample = drawn_numbers(rows.nrows(), SAMPLE, "rows with known neighbours");
    let queries = gather(rows, &sample);
    let found = search(queries.view(), rows, count + 1, false).indices;
    let order = search(queries.view(), centers, centers.nrows(), false).indices;
    let mut ranks = Vec::with_capacity(SAMPLE * count);
    for ((&row, near), order) in sample.iter().zip(found.rows()).zip(order.rows()) {
        let mut rank_of = vec![0; centers.nrows()];
        order.iter().enumerate().for_each(|(rank, &group)| rank_of[group as usize] = rank);
        let others = near.iter().filter(|&&other| other as usize != row).take(count);
        ranks.extend(others.map(|&other| rank_of[group_of[other as usize] as usize]));
    }
    ranks.sort_unstable();
    let enough = ((RECALL * ranks.len() as f64).ceil() as usize).clamp(1, ranks.len());
    let last = ranks[enough - 1];
    (last + 1, ranks.partition_point(|&rank| rank <= last) as f64 / ranks.len() as f64)
}

/// Rows in the order of their groups.
struct Groups {
    centers: Array2<f32>,
    /// `(n, d)`.
    sorted: Array2<f32>,
    /// Which row each of them is.
    numbers: Vec<usize>,
    /// Where each group lies.
    ranges: Vec<Range<usize>>,
}

impl Groups {
    fn of(rows: ArrayView2<f32>, group_of: &[u32], centers: Array2<f32>) -> Self {
        let mut numbers: Vec<usize> = (0..rows.nrows()).collect();
        numbers.sort_by_key(|&row| group_of[row]); // stable: rows of a group keep their order
        let end = |group: usize| numbers.partition_point(|&row| (group_of[row] as usize) < group);
        let ranges = (0..centers.nrows()).map(|group| end(group)..end(group + 1)).collect();
        Self { centers, sorted: gather(rows, &numbers), numbers, ranges }
    }

    /// Looks in so many groups for each row; rows that are worked on together look in the groups of all of them.
    fn search(&self, count: usize, looked_in: usize) -> Neighbors {
        let rows = self.sorted.view();
        let found = if rows.ncols() <= DIRECT_WIDTH {
            let columns = rows.t().as_standard_layout().into_owned();
            search_blocks(rows, rows, count, DIRECT_BLOCK, |first, queries, best| {
                for range in self.around(queries, looked_in) {
                    let mut distances = Array2::zeros((queries.nrows(), range.len()));
                    direct_distances(queries, columns.slice(s![.., range.clone()]), distances.view_mut());
                    for (q, distances) in distances.rows().into_iter().enumerate() {
                        let distances = distances.to_slice().expect("rows of a new matrix lie in one piece");
                        best[q].offer(distances, range.start, Some(first + q));
                    }
                }
            })
        } else {
            let (norms, packed) = (squared_lengths(rows), Packed::new(rows.t()));
            search_blocks(rows, rows, count, packed.task_rows() * QUERY_TASKS, |first, queries, best| {
                for range in self.around(queries, looked_in) {
                    packed.blocks_in(range.clone(), queries, |block| {
                        // a block may begin before the range and end after it
                        let from = range.start.max(block.column);
                        let to = range.end.min(block.column + block.columns);
                        for i in 0..block.rows {
                            let (row, column) = (block.row + i, block.column);
                            let entries = &mut block.entries(i)[from - column..to - column];
                            rank(entries, 0.0, &norms[from..to]);
                            best[row].offer(entries, from, Some(first + row));
                        }
                    });
                }
            })
        };
        self.in_order(found)
    }

    /// Where the groups nearest to any of these rows lie.
    fn around(&self, queries: ArrayView2<f32>, looked_in: usize) -> impl Iterator<Item = Range<usize>> {
        let near = search(queries, self.centers.view(), looked_in, false).indices;
        let mut is_near = vec![false; self.ranges.len()];
        near.iter().for_each(|&group| is_near[group as usize] = true);
        let ranges = self.ranges.iter().zip(is_near).filter(|(range, is_near)| *is_near && !range.is_empty());
        ranges.map(|(range, _)| range.clone())
    }

    /// The rows with the numbers that they had.
    fn in_order(&self, found: Neighbors) -> Neighbors {
        let mut ordered = Neighbors::zeros(found.indices.nrows(), found.indices.ncols());
        for (place, &row) in self.numbers.iter().enumerate() {
            let numbered = found.indices.row(place).mapv(|other| self.numbers[other as usize] as u32);
            let mut near: Vec<(f32, u32)> = found.squared_distances.row(place).iter().copied().zip(numbered).collect();
            near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            for (rank, (squared, other)) in near.into_iter().enumerate() {
                ordered.indices[[row, rank]] = other;
                ordered.squared_distances[[row, rank]] = squared;
            }
        }
        ordered
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Axis;
    use rand::RngExt;

    /// Rows on a curved sheet in so many columns, in no order.
    fn sheet(n: usize, columns: usize) -> Array2<f32> {
        let mut rng = Seed(5).stream("sheet");
        let mut rows = Array2::zeros((n, columns));
        for mut row in rows.axis_iter_mut(Axis(0)) {
            let (u, v): (f32, f32) = (rng.random(), rng.random());
            for (j, x) in row.iter_mut().enumerate() {
                *x = ((j + 1) as f32 * u + v * (j % 5) as f32).sin();
            }
        }
        rows
    }

    /// The share of true neighbours among those found.
    fn recall(found: &Neighbors, truth: &Neighbors) -> f64 {
        let hits = found
            .indices
            .rows()
            .into_iter()
            .zip(truth.indices.rows())
            .map(|(found, truth)| truth.iter().filter(|other| found.iter().any(|f| f == *other)).count());
        hits.sum::<usize>() as f64 / truth.indices.len() as f64
    }

    #[test]
    fn as_many_true_neighbours_are_found_as_is_reported() {
        for columns in [3, 40] {
            let rows = sheet(12_000, columns);
            let truth = search(rows.view(), rows.view(), 10, true);
            let (found, reported) = search_groups_of(100, rows.view(), 10);
            assert!((RECALL..1.0).contains(&reported), "{reported}: the groups were looked in");
            assert!(recall(&found, &truth) >= RECALL, "{} in {columns} columns", recall(&found, &truth));
            assert!((0..12_000).all(|i| found.indices.row(i).iter().all(|&j| j as usize != i)));
            let ascending = |row: ndarray::ArrayView1<f32>| row.iter().is_sorted();
            assert!(found.squared_distances.rows().into_iter().all(ascending));
        }
    }

    #[test]
    fn what_has_no_groups_is_searched_whole() {
        let mut rng = Seed(6).stream("noise");
        let rows = Array2::from_shape_fn((3000, 60), |_| rng.random::<f32>());
        let (found, recall) = search_groups_of(100, rows.view(), 5);
        assert_eq!((found, recall), (search(rows.view(), rows.view(), 5, true), 1.0));
    }
}
