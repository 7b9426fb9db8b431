//! The columns in which a cluster differs most from all rows, in units of the column.

use ndarray::{ArrayView2, Axis};
use neuncut::data::ColumnNames;
use serde::Serialize;

/// Tables with more columns are not described by them: no reader knows what column 211 is.
const MOST: usize = 200;
/// Nor are longer lists.
const MOST_OF_LIST: usize = 10;
/// Columns of each cluster.
const KEPT: usize = 6;
/// Standard deviations from the mean of all rows that are a difference.
const LEAST: f64 = 0.25;

/// A column in which a cluster differs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Difference {
    /// Its number, from 0.
    pub column: usize,
    /// The mean in the cluster, and over all rows.
    pub mean: f64,
    pub overall: f64,
}

/// Means and deviations of the columns of all rows.
pub struct Columns<'a> {
    rows: ArrayView2<'a, f32>,
    means: Vec<f64>,
    deviations: Vec<f64>,
}

impl<'a> Columns<'a> {
    /// Of rows `(n, d)`.
    pub fn new(rows: ArrayView2<'a, f32>) -> Self {
        let n = rows.nrows().max(1) as f64;
        let column = |values: ndarray::ArrayView1<f32>| {
            let mean = values.iter().map(|&v| f64::from(v)).sum::<f64>() / n;
            let square = values.iter().map(|&v| (f64::from(v) - mean).powi(2)).sum::<f64>();
            (mean, (square / n).sqrt())
        };
        let (means, deviations) = rows.axis_iter(Axis(1)).map(column).unzip();
        Self { rows, means, deviations }
    }

    /// The columns whose mean over `members` is most standard deviations off, the largest first.
    pub fn differing(&self, members: &[usize]) -> Vec<Difference> {
        let mut sums = vec![0.0; self.means.len()];
        for &row in members {
            sums.iter_mut().zip(self.rows.row(row)).for_each(|(sum, &value)| *sum += f64::from(value));
        }
        let differences = sums.iter().enumerate().map(|(column, sum)| {
            let (mean, overall) = (sum / members.len().max(1) as f64, self.means[column]);
            ((mean - overall).abs() / self.deviations[column].max(f64::MIN_POSITIVE), column, mean, overall)
        });
        let mut found: Vec<_> = differences.filter(|(off, ..)| *off >= LEAST && !members.is_empty()).collect();
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let kept = found.into_iter().take(KEPT);
        kept.map(|(_, column, mean, overall)| Difference { column, mean: digits(mean), overall: digits(overall) })
            .collect()
    }
}

/// Whether columns mean something to a reader: they are few, very few where they are the places of a list.
pub fn are_telling(names: &ColumnNames, columns: usize) -> bool {
    columns <= if matches!(names, ColumnNames::List(_)) { MOST_OF_LIST } else { MOST }
}

/// What a column is called.
pub fn name(names: &ColumnNames, column: usize) -> String {
    match names {
        ColumnNames::Named(_) => names.of(column).unwrap_or_default(),
        ColumnNames::List(_) => format!("value {}", column + 1),
        _ => format!("column {}", names.of(column).unwrap_or_else(|| (column + 1).to_string())),
    }
}

/// Three significant digits, or all before the point.
fn digits(value: f64) -> f64 {
    let text = if value.abs() >= 100.0 { format!("{value:.0}") } else { format!("{value:.2e}") };
    text.parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_most_different_column_comes_first_whatever_its_unit() {
        // the second column differs by more of its own deviation, the first by more of its unit; the third not at all
        let rows = array![[100.0_f32, 1.0, 5.0], [900.0, 1.1, 5.0], [500.0, 0.0, 5.0], [1000.0, 0.1, 5.0]];
        let found = Columns::new(rows.view()).differing(&[0, 1]);
        assert_eq!(found.iter().map(|d| d.column).collect::<Vec<_>>(), [1, 0]);
        assert_eq!((found[0].mean, found[0].overall), (1.05, 0.55));
        assert_eq!((found[1].mean, found[1].overall), (500.0, 625.0));
        assert!(Columns::new(rows.view()).differing(&[]).is_empty());
        assert_eq!((digits(1234.56), digits(0.123_45), digits(-45.67)), (1235.0, 0.123, -45.7));
    }

    #[test]
    fn names_are_those_of_the_table_or_numbers() {
        assert_eq!(name(&ColumnNames::Named(vec!["a".into(), "b".into()]), 1), "b");
        assert_eq!(name(&ColumnNames::Unnamed, 1), "column 2");
        assert_eq!(name(&ColumnNames::Numbered { numbers: vec!["3".into()] }, 0), "column 3");
        assert!(are_telling(&ColumnNames::List("place".into()), 2));
        assert!(!are_telling(&ColumnNames::List("embedding".into()), 64) && !are_telling(&ColumnNames::Unnamed, 784));
    }
}
