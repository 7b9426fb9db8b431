//! A cluster made several by hand: its rows are clustered by themselves, and gates in the network learn to tell the parts apart.
//!
//! A gate `g` is positive for rows of a part and negative for those of the parts behind it. Two units of the last hidden layer hold
//! `max(g, 0)` and `max(-g, 0)`, and the output of a part is that of the cluster less the units that speak against it. Exactly one part
//! has none of these above zero, so the largest output among the parts is that of the cluster before, whatever the row: only rows of this
//! cluster change their label.

use super::neural_cut::WarmStart;
use super::{Model, Reach};
use crate::clustering::Clustering;
use crate::ensemble::Ensemble;
use crate::features::Route;
use crate::network::{Device, Layer, Mlp, Weights};
use crate::train::{Observer, Trainer};
use crate::{Error, Result, Seed};
use ndarray::{Array1, Array2, ArrayView2, Axis, concatenate};

/// Rows that a part has at least on average.
const ROWS_PER_PART: usize = 5;
/// How the layer is trained: steps, rows per batch, learning rate, share of a target that is spread over all parts.
const STEPS: usize = 600;
const BATCH: usize = 500;
const RATE: f64 = 1e-2;
const SMOOTHING: f32 = 0.01;

/// What came of splitting a cluster.
#[derive(Debug, Clone, PartialEq)]
pub struct Split {
    /// Numbers of the parts: that of the cluster, then new ones.
    pub parts: Vec<u32>,
    /// Rows of the data in each of them.
    pub sizes: Vec<usize>,
}

impl Model {
    /// Makes several clusters of one, from those of the rows `(n, d)` that are in it. The first part keeps its number.
    ///
    /// # Errors
    /// When the cluster is not there or was merged by hand, when too few rows are in it, or when they cannot be clustered.
    pub fn split(
        &mut self,
        cluster: u32,
        parts: usize,
        rows: ArrayView2<f32>,
        seed: u64,
        observer: &mut dyn Observer,
    ) -> Result<Split> {
        let output = self.own_output(cluster)?;
        if parts < 2 {
            return Err(Error::config("split", format!("{cluster}:{parts}"), "two parts or more, such as 5:2"));
        }
        let before = self.predict(rows)?;
        let members: Vec<usize> = (0..before.len()).filter(|&row| before[row] == cluster).collect();
        if members.len() < ROWS_PER_PART * parts {
            let what = format!("cluster {cluster}");
            let remedy = format!("give data with more rows of it, or fewer parts than {parts}");
            let (rows, needed) = (members.len() as u64, (ROWS_PER_PART * parts) as u64);
            return Err(Error::TooFewRows { what, rows, needed, remedy });
        }
        let inside = rows.select(Axis(0), &members);
        let features = self.to_features().transform(inside.view())?;
        let found = Ensemble { seed, ..Ensemble::new(parts) }.fit_observed(features.view(), observer)?;
        if self.head.layers.len() == 1 {
            self.add_hidden_layer();
        }
        let gates = self.learn_gates(inside.view(), found.labels(), parts, seed, observer)?;
        let first = self.n_clusters() as u32;
        let numbers: Vec<u32> = std::iter::once(cluster).chain(first..first + parts as u32 - 1).collect();
        self.put_parts(output, &gates);
        if let Some(grouping) = &mut self.grouping {
            grouping.group.extend(&numbers[1..]);
            grouping.count += parts - 1;
        }
        self.config.clusters = self.n_clusters();
        let after = self.predict(inside.view())?;
        self.record_parts(&numbers, &after);
        self.reach_parts(inside.view(), &after)?;
        let size = |number: &u32| after.iter().filter(|label| *label == number).count();
        Ok(Split { sizes: numbers.iter().map(size).collect(), parts: numbers })
    }

    /// The output of the network that is this cluster.
    fn own_output(&self, cluster: u32) -> Result<usize> {
        self.check_cluster("split", cluster)?;
        let Some(grouping) = &self.grouping else { return Ok(cluster as usize) };
        let mut outputs = (0..grouping.group.len()).filter(|&output| grouping.group[output] == cluster);
        match (outputs.next(), outputs.next()) {
            (Some(output), None) => Ok(output),
            _ => Err(Error::config(
                "split",
                cluster,
                "a cluster that was not merged by hand: split it in the model of before the merge",
            )),
        }
    }

    /// Puts a hidden layer in front of the only one, which holds what enters twice, above zero and below: `x = max(x, 0) - max(-x, 0)`.
    fn add_hidden_layer(&mut self) {
        let Some(last) = self.head.layers.pop() else { return };
        let same = Array2::<f32>::eye(last.weight.nrows());
        let hidden = Layer { weight: beside(&same, &-&same), bias: Array1::zeros(2 * same.ncols()) };
        let weight = below(&last.weight, &-&last.weight);
        self.head.layers.extend([hidden, Layer { weight, bias: last.bias }]);
    }

    /// What enters the last hidden layer.
    fn activations(&self, rows: ArrayView2<f32>) -> Result<Array2<f32>> {
        let inputs = self.steps().collect::<Route>().transform(rows)?;
        Ok(match self.head.layers.len().saturating_sub(2) {
            0 => inputs,
            before => {
                Weights { layers: self.head.layers[..before].to_vec() }.outputs(inputs.view()).mapv(|x| x.max(0.0))
            }
        })
    }

    /// A gate for each part but the last, which tells its rows from those of the parts behind it.
    fn learn_gates(
        &self,
        rows: ArrayView2<f32>,
        labels: &[u32],
        parts: usize,
        seed: u64,
        observer: &mut dyn Observer,
    ) -> Result<Layer> {
        let mut inputs = self.activations(rows)?;
        let mean = inputs.mean_axis(Axis(0)).unwrap_or_else(|| Array1::zeros(inputs.ncols()));
        inputs -= &mean;
        let square = inputs.iter().map(|&x| f64::from(x) * f64::from(x)).sum::<f64>() / inputs.len().max(1) as f64;
        let scale = 1.0 / (square.sqrt() as f32).max(f32::MIN_POSITIVE);
        inputs *= scale;
        let mut gates = Layer { weight: Array2::zeros((inputs.ncols(), parts - 1)), bias: Array1::zeros(parts - 1) };
        for gate in 0..parts - 1 {
            let open: Vec<usize> = (0..labels.len()).filter(|&row| labels[row] as usize >= gate).collect();
            let is_in: Vec<u32> = open.iter().map(|&row| u32::from(labels[row] as usize == gate)).collect();
            let trained = learn_two(inputs.select(Axis(0), &open).view(), &is_in, seed, observer)?;
            let weight = (&trained.weight.column(1) - &trained.weight.column(0)) * scale;
            gates.bias[gate] = trained.bias[1] - trained.bias[0] - mean.dot(&weight);
            gates.weight.column_mut(gate).assign(&weight);
        }
        Ok(gates)
    }

    /// Puts the parts in the place of an output: the first there, the others behind all.
    fn put_parts(&mut self, output: usize, gates: &Layer) {
        let [.., hidden, last] = &mut self.head.layers[..] else { return };
        let units = hidden.bias.len();
        hidden.weight = beside(&beside(&hidden.weight, &gates.weight), &-&gates.weight);
        hidden.bias = [&hidden.bias, &gates.bias, &-&gates.bias].into_iter().flatten().copied().collect();
        let count = gates.bias.len();
        let own = last.weight.column(output).to_owned().insert_axis(Axis(1));
        let copies = own.broadcast((own.nrows(), count)).expect("a column repeats").to_owned();
        let before = beside(&last.weight, &copies);
        let outputs = before.ncols();
        let mut weight = below(&before, &Array2::zeros((2 * count, outputs)));
        for part in 0..=count {
            let column = if part == 0 { output } else { outputs - count + part - 1 };
            (0..part).for_each(|gate| weight[[units + gate, column]] = -1.0);
            if part < count {
                weight[[units + count + part, column]] = -1.0;
            }
        }
        last.weight = weight;
        last.bias = last.bias.iter().copied().chain(std::iter::repeat_n(last.bias[output], count)).collect();
    }

    /// Shares, names and the tree with the parts in them.
    fn record_parts(&mut self, numbers: &[u32], labels: &[u32]) {
        let cluster = numbers[0] as usize;
        let record = &mut self.record;
        let whole = record.share(cluster);
        for (part, &number) in numbers.iter().enumerate() {
            let share = labels.iter().filter(|&&label| label == number).count() as f64 / labels.len() as f64;
            if part == 0 {
                record.cluster_shares.get_mut(cluster).into_iter().for_each(|held| *held = whole * share);
                continue;
            }
            if !record.cluster_shares.is_empty() {
                record.cluster_shares.push(whole * share);
            }
            let of_part = |name: &String| format!("{name} {}", part + 1);
            if let Some(name) = record.cluster_names.get(cluster).map(of_part) {
                let name = if record.has_given_names() { name } else { record.new_label(number) };
                record.cluster_names.push(name);
            }
            if let Some(title) = record.cluster_titles.get(cluster).map(of_part) {
                record.cluster_titles.push(title);
            }
            if !record.cluster_words.is_empty() {
                record.cluster_words.push(Vec::new());
            }
            if !record.medoids.is_empty() {
                record.medoids.push(None);
            }
            if !record.typical_rows.is_empty() {
                record.typical_rows.push(Vec::new());
            }
        }
        numbers[1..].iter().for_each(|&part| self.merge_first(numbers[0], part));
    }

    /// How far the parts reach, in the place of the cluster.
    fn reach_parts(&mut self, rows: ArrayView2<f32>, labels: &[u32]) -> Result<()> {
        let represented = self.to_representation().transform(rows)?;
        let parts = Reach::of(represented.view(), labels, self.n_clusters());
        if let Some(reach) = &mut self.reach {
            reach.renumber(|cluster| Some(cluster).filter(|cluster| !parts.cluster.contains(cluster)));
            reach.extend(&parts);
        }
        Ok(())
    }
}

/// A layer of two outputs that learns to tell rows apart.
fn learn_two(inputs: ArrayView2<f32>, labels: &[u32], seed: u64, observer: &mut dyn Observer) -> Result<Layer> {
    let start = Weights::random(&[inputs.ncols(), 2], &mut Seed(seed).stream("split"));
    let batch = BATCH.min(inputs.nrows());
    let epochs = STEPS.div_ceil(inputs.nrows() / batch);
    let trainer = Trainer { stage: "split", batch, epochs, learning_rate: RATE, weight_decay: 0.0 };
    let mut network = Mlp::new(&start, Device::Cpu)?;
    let mut objective = WarmStart { inputs, labels, smoothing: SMOOTHING };
    trainer.run(&mut network, inputs.nrows(), &mut objective, &mut Seed(seed).stream("split steps"), observer)?;
    Ok(network.weights()?.layers.swap_remove(0))
}

fn beside(left: &Array2<f32>, right: &Array2<f32>) -> Array2<f32> {
    let joined = concatenate(Axis(1), &[left.view(), right.view()]).expect("both have the same rows");
    joined.as_standard_layout().into_owned()
}

fn below(above: &Array2<f32>, below: &Array2<f32>) -> Array2<f32> {
    concatenate(Axis(0), &[above.view(), below.view()]).expect("both have the same columns")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::methods::{Config, KMeansOptions, Method, argmax_rows};
    use crate::metrics::ari;
    use crate::train::Silent;
    use rand::RngExt;

    /// Two pairs of clouds, the pairs far apart, and a model that takes each pair for one cluster.
    fn model() -> (Model, Array2<f32>) {
        let rows = Array2::from_shape_fn((400, 2), |(i, j)| {
            let centre = [[0.0, 0.0], [5.0, 0.0], [60.0, 9.0], [65.0, 9.0]][i % 4][j];
            centre + (i / 4 * (7 + 4 * j) % 13) as f32 * 0.08
        });
        let config = Config::of(Method::KMeans(KMeansOptions::default()), 2);
        (Job::new(config).unwrap().fit(rows.view()).unwrap().model.unwrap(), rows)
    }

    #[test]
    fn the_rows_of_a_cluster_are_told_apart_and_no_others_change() {
        let (mut model, rows) = model();
        let before = model.predict(rows.view()).unwrap();
        let pair = before[0];
        let split = model.split(pair, 2, rows.view(), 0, &mut Silent).unwrap();
        assert_eq!(split.parts, [pair, 2]);
        assert_eq!(split.sizes, [100, 100]);
        let after = model.predict(rows.view()).unwrap();
        let truth: Vec<u32> = (0..400).map(|i| [0, 1, 2, 2][i % 4]).collect();
        assert!(ari(&after, &truth).unwrap() > 0.99);
        assert!((0..400).all(|i| i % 4 < 2 || after[i] == before[i]));
        assert_eq!((model.n_clusters(), model.config.clusters, model.record.cluster_shares.len()), (3, 3, 3));
        assert!((model.record.cluster_shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        // the tree begins with the parts
        assert_eq!(model.level(2).unwrap().group[pair as usize], model.level(2).unwrap().group[2]);
        assert!(!model.beyond(rows.view(), &after).unwrap().contains(&true));
        let back = Model::from_bytes(&model.to_bytes().unwrap(), std::path::Path::new("model")).unwrap();
        assert_eq!(back, model);
        // and after a merge, which groups outputs
        model.merge(&[1 - pair, 2]).unwrap();
        let split = model.split(pair, 2, rows.view(), 0, &mut Silent).unwrap();
        assert_eq!((split.parts, model.n_clusters(), model.n_alive()), (vec![pair, 3], 4, 3));
    }

    #[test]
    fn only_rows_of_the_cluster_change_their_label() {
        let mut rng = Seed(5).stream("rows");
        let rows = Array2::from_shape_fn((3000, 6), |_| rng.random_range(-3.0_f32..3.0));
        for sizes in [&[6, 5][..], &[6, 24, 5], &[6, 24, 24, 5]] {
            let mut model = Model::new(Config::new(5), 6, Weights::random(sizes, &mut rng));
            let before = model.predict(rows.view()).unwrap();
            // the split is learnt from some of the rows
            let split = model.split(1, 4, rows.slice(ndarray::s![..1500, ..]), 0, &mut Silent).unwrap();
            assert_eq!(split.parts, [1, 5, 6, 7]);
            assert!(split.sizes.iter().all(|&size| size > 10), "{sizes:?}: {split:?}");
            let after = model.predict(rows.view()).unwrap();
            let as_one = |label: u32| if label >= 5 { 1 } else { label };
            assert!(before.iter().zip(&after).all(|(&before, &after)| before == as_one(after)), "{sizes:?}");
            assert_eq!(argmax_rows(model.memberships(rows.view()).unwrap().view()), after);
        }
    }

    #[test]
    fn what_cannot_be_split_is_refused() {
        let (mut model, rows) = model();
        let mut problem = |cluster, parts, rows: ArrayView2<f32>| {
            model.split(cluster, parts, rows, 0, &mut Silent).unwrap_err().to_string()
        };
        assert!(problem(7, 2, rows.view()).contains("split is 7, but must be a cluster of the model: 0 to 1"));
        assert!(problem(0, 1, rows.view()).contains("two parts or more"));
        assert!(problem(0, 200, rows.view()).contains("fewer parts than 200"));
        model.merge(&[0, 1]).unwrap();
        let message = model.split(0, 2, rows.view(), 0, &mut Silent).unwrap_err().to_string();
        assert!(message.contains("not merged by hand"), "{message}");
    }
}
