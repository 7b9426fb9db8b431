//! How good the labels of a model are on any rows, by the cut alone.

use super::Model;
use crate::Result;
use crate::graph::{Csr, ncut, nearest_neighbors, rcut};
use crate::objective::Cut;
use ndarray::{ArrayView2, Axis};

/// Neighbours a row of the graph on which the cut is taken.
const NEIGHBORS: usize = 10;
/// Most rows on that graph, because the search is quadratic; of more rows, so many at even distances are taken.
const MOST_ROWS: usize = 10_000;

impl Model {
    /// The cut of this model's labels on the graph of ten nearest neighbours among the rows `(n, d)`, in the representation in which
    /// distances are taken; ratio cut where the model was trained on it, normalized cut otherwise. Lower is better. A cluster
    /// without rows counts one. Of more than 10,000 rows, 10,000 are looked at.
    ///
    /// # Errors
    /// When the rows do not have the model's columns, or are not finite.
    pub fn cut(&self, rows: ArrayView2<f32>) -> Result<f64> {
        let step = rows.nrows().div_ceil(MOST_ROWS).max(1);
        let chosen: Vec<usize> = (0..rows.nrows()).step_by(step).collect();
        let rows = rows.select(Axis(0), &chosen);
        let labels = self.predict(rows.view())?;
        let represented = self.to_representation().transform(rows.view())?;
        let neighbors = nearest_neighbors(represented.view(), NEIGHBORS.min(rows.nrows().saturating_sub(1)));
        let edges = neighbors.indices.indexed_iter().map(|((i, _), &j)| (i as u32, j, 1.0));
        let graph = Csr::symmetrized(rows.nrows(), edges);
        let k = self.n_clusters();
        Ok(match self.config.cut() {
            Cut::Ncut => ncut(&graph, &labels, k),
            Cut::Rcut => rcut(&graph, &labels, k),
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::job::Job;
    use crate::methods::{Auto, Config, Method, Model, NetworkOptions, NeuralCutOptions};
    use ndarray::Array2;

    fn two_clouds() -> Array2<f32> {
        Array2::from_shape_fn((80, 2), |(i, j)| {
            let (turn, reach) = (i as f32 * 2.4, ((i % 40) as f32).sqrt() * 0.1);
            let centre = if i < 40 { 0.0_f32 } else { 5.0 };
            centre + reach * if j == 0 { turn.cos() } else { turn.sin() }
        })
    }

    fn model(k: usize, rows: &Array2<f32>) -> Model {
        let network = NetworkOptions { hidden: vec![16].into(), epochs: Auto::Given(5), ..Default::default() };
        let method = Method::NeuNcut(NeuralCutOptions { network, ..Default::default() });
        Job::new(Config::of(method, k)).unwrap().fit(rows.view()).unwrap().model.unwrap()
    }

    #[test]
    fn the_right_clusters_cut_nothing_and_halved_ones_do() {
        let rows = two_clouds();
        let cut = |k| model(k, &rows).cut(rows.view()).unwrap();
        assert_eq!(cut(1), 0.0);
        assert_eq!(cut(2), 0.0);
        assert!(cut(4) > 0.1);
    }

    #[test]
    fn rows_of_another_width_are_refused() {
        let model = model(2, &two_clouds());
        assert!(model.cut(Array2::zeros((5, 3)).view()).unwrap_err().to_string().contains("3 columns"));
    }
}
