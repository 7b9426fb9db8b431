//! A cluster made several by hand: its rows are clustered by themselves, and the last layer of the network learns to tell the parts apart.
//!
//! The output of a part is that of the cluster plus one that is learnt from the cluster's rows alone, moved so that on them the parts
//! together weigh as much as the cluster did. Other clusters keep their outputs; how many of other rows change is measured.

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
    /// Share of the cluster's rows that the network puts into the part in which they were found.
    pub learnt: f64,
    /// Share of all other rows whose cluster is another one now.
    pub disturbed: f64,
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
        let learnt = self.learn_parts(inside.view(), found.labels(), parts, seed, observer)?;
        let first = self.n_clusters() as u32;
        let numbers: Vec<u32> = std::iter::once(cluster).chain(first..first + parts as u32 - 1).collect();
        self.put_parts(output, &learnt);
        if let Some(grouping) = &mut self.grouping {
            grouping.group.extend(&numbers[1..]);
            grouping.count += parts - 1;
        }
        self.config.clusters = self.n_clusters();
        let after = self.predict(rows)?;
        let of_parts: Vec<u32> = found.labels().iter().map(|&part| numbers[part as usize]).collect();
        self.record_parts(&numbers, &of_parts);
        self.reach_parts(inside.view(), &of_parts)?;
        let same = members.iter().zip(&of_parts).filter(|&(&row, &part)| after[row] == part).count();
        let others = before.len() - members.len();
        let changed = (0..before.len()).filter(|&row| before[row] != cluster && before[row] != after[row]).count();
        Ok(Split {
            parts: numbers,
            learnt: same as f64 / members.len() as f64,
            disturbed: changed as f64 / others.max(1) as f64,
        })
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
                "a cluster that was not merged by hand: take the model from before",
            )),
        }
    }

    /// What enters the last layer.
    fn activations(&self, rows: ArrayView2<f32>) -> Result<Array2<f32>> {
        let inputs = self.steps().collect::<Route>().transform(rows)?;
        Ok(match self.head.layers.split_last() {
            Some((_, hidden)) if !hidden.is_empty() => {
                Weights { layers: hidden.to_vec() }.outputs(inputs.view()).mapv(|x| x.max(0.0))
            }
            _ => inputs,
        })
    }

    /// A layer that tells the parts of a cluster apart by what enters the last one.
    fn learn_parts(
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
        let start = Weights::random(&[inputs.ncols(), parts], &mut Seed(seed).stream("split"));
        let batch = BATCH.min(inputs.nrows());
        let epochs = STEPS.div_ceil(inputs.nrows() / batch);
        let trainer = Trainer { stage: "split", batch, epochs, learning_rate: RATE, weight_decay: 0.0 };
        let mut network = Mlp::new(&start, Device::Cpu)?;
        let mut objective = WarmStart { inputs: inputs.view(), labels, smoothing: SMOOTHING };
        trainer.run(&mut network, inputs.nrows(), &mut objective, &mut Seed(seed).stream("split steps"), observer)?;
        let trained = network.weights()?;
        let together = mean_log_sum(&trained.outputs(inputs.view()));
        let layer = &trained.layers[0];
        let weight = &layer.weight * scale;
        let bias = &layer.bias - together - mean.dot(&weight);
        Ok(Layer { weight, bias })
    }

    /// Puts the parts in the place of an output: the first there, the others behind all.
    fn put_parts(&mut self, output: usize, parts: &Layer) {
        let Some(last) = self.head.layers.last_mut() else { return };
        let own = last.weight.column(output).to_owned().insert_axis(Axis(1));
        let weight = &parts.weight + &own;
        let bias = &parts.bias + last.bias[output];
        last.weight.column_mut(output).assign(&weight.column(0));
        last.bias[output] = bias[0];
        let (more, above) = (weight.slice(ndarray::s![.., 1..]), bias.slice(ndarray::s![1..]));
        let joined = concatenate(Axis(1), &[last.weight.view(), more]).expect("both have the inputs of the layer");
        last.weight = joined.as_standard_layout().into_owned();
        last.bias = concatenate(Axis(0), &[last.bias.view(), above]).expect("two vectors");
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
            for names in [&mut record.cluster_names, &mut record.cluster_titles] {
                if let Some(name) = names.get(cluster) {
                    names.push(format!("{name} {}", part + 1));
                }
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

/// The mean over rows of `ln sum_c exp`.
fn mean_log_sum(outputs: &Array2<f32>) -> f32 {
    let of_row = |row: ndarray::ArrayView1<f32>| {
        let largest = row.fold(f32::NEG_INFINITY, |a, &b| a.max(b));
        f64::from(largest) + row.iter().map(|&x| f64::from(x - largest).exp()).sum::<f64>().ln()
    };
    (outputs.rows().into_iter().map(of_row).sum::<f64>() / outputs.nrows().max(1) as f64) as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::Job;
    use crate::methods::{Config, KMeansOptions, Method};
    use crate::metrics::ari;
    use crate::train::Silent;

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
        assert!(split.learnt > 0.99 && split.disturbed == 0.0, "{split:?}");
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
