//! The Hungarian method: the one-to-one matching with the largest total, by shortest augmenting paths.

use ndarray::ArrayView2;

/// For each row of a table the column it is matched to, such that the sum of the matched entries is as large as can be.
/// There must be at least as many columns as rows.
///
/// Rows are added one after another. Prices keep `row_price + column_price >= gain`, with equality where a row is matched, so
/// that what a path loses is a sum of numbers that are not negative, and the cheapest path to a free column is found as by
/// Dijkstra.
pub(super) fn best_matching(gains: ArrayView2<i64>) -> Vec<usize> {
    let (height, width) = gains.dim();
    let row_price = gains.rows().into_iter().map(|row| row.iter().copied().max().unwrap_or(0)).collect();
    let mut matching = Matching { row_price, column_price: vec![0; width], owner: vec![None; width] };
    (0..height).for_each(|row| matching.add(gains, row));
    let mut partner = vec![0; height];
    for (column, owner) in matching.owner.into_iter().enumerate() {
        if let Some(row) = owner {
            partner[row] = column;
        }
    }
    partner
}

struct Matching {
    row_price: Vec<i64>,
    column_price: Vec<i64>,
    /// The row that a column is matched to.
    owner: Vec<Option<usize>>,
}

/// What is known of a column while a path is looked for.
#[derive(Clone, Copy)]
struct Reach {
    /// What the cheapest path to it loses.
    loss: i64,
    /// The column before it on that path; none where the path begins.
    before: Option<usize>,
    settled: bool,
}

impl Matching {
    /// Matches one more row; those before it stay matched, though maybe to other columns.
    fn add(&mut self, gains: ArrayView2<i64>, new: usize) {
        let mut columns = vec![Reach { loss: i64::MAX, before: None, settled: false }; self.owner.len()];
        let (mut row, mut last, mut lost) = (new, None, 0);
        let end = loop {
            let prices = self.column_price.iter().zip(gains.row(row));
            let mut nearest: Option<(i64, usize)> = None;
            for (c, (column, (&price, &gain))) in columns.iter_mut().zip(prices).enumerate() {
                if column.settled {
                    continue;
                }
                let loss = lost + self.row_price[row] + price - gain;
                if loss < column.loss {
                    (column.loss, column.before) = (loss, last);
                }
                if nearest.is_none_or(|(least, _)| column.loss < least) {
                    nearest = Some((column.loss, c));
                }
            }
            let (loss, next) = nearest.expect("there are at least as many columns as rows");
            columns[next].settled = true;
            (lost, last) = (loss, Some(next));
            match self.owner[next] {
                Some(owner) => row = owner,
                None => break next,
            }
        };
        self.reprice(&columns, new, lost);
        self.shift(&columns, new, end);
    }

    /// Prices by which the path to the new row's end loses nothing.
    fn reprice(&mut self, columns: &[Reach], new: usize, lost: i64) {
        self.row_price[new] -= lost;
        for (c, column) in columns.iter().enumerate().filter(|(_, column)| column.settled) {
            let saved = lost - column.loss;
            self.column_price[c] += saved;
            if let Some(owner) = self.owner[c] {
                self.row_price[owner] -= saved;
            }
        }
    }

    /// Along the path every column passes to the row of the column before it, the first to the new row.
    fn shift(&mut self, columns: &[Reach], new: usize, end: usize) {
        let mut column = end;
        while let Some(before) = columns[column].before {
            self.owner[column] = self.owner[before];
            column = before;
        }
        self.owner[column] = Some(new);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array2, array};

    #[test]
    fn a_row_gives_way_where_the_total_gains() {
        assert_eq!(best_matching(array![[4, 3], [3, 0]].view()), [1, 0]);
        assert_eq!(best_matching(array![[7, 5, 11], [5, 4, 1], [9, 3, 2]].view()), [2, 1, 0]);
        assert_eq!(best_matching(array![[-1, -2, -3]].view()), [0]);
    }

    /// The prices prove it: no matching can have more than their sum.
    #[test]
    fn prices_bound_every_matching_and_are_met() {
        let mut state = 1_u64;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) % below) as i64
        };
        for (height, width) in [(1, 1), (3, 7), (20, 20), (60, 90)] {
            let gains = Array2::from_shape_fn((height, width), |_| next(30));
            let mut matching =
                Matching { row_price: vec![30; height], column_price: vec![0; width], owner: vec![None; width] };
            (0..height).for_each(|row| matching.add(gains.view(), row));
            for ((r, c), &gain) in gains.indexed_iter() {
                let price = matching.row_price[r] + matching.column_price[c];
                assert!(price >= gain && matching.column_price[c] >= 0);
                assert!(price == gain || matching.owner[c] != Some(r), "a matched pair is tight");
            }
            let free = |c: &usize| matching.owner[*c].is_none();
            assert!((0..width).filter(free).all(|c| matching.column_price[c] == 0));
            assert_eq!(matching.owner.iter().flatten().count(), height);
        }
    }
}
