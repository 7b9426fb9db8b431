//! What methods with an autoencoder begin with: one trained to give rows back, their codes, and a clustering.

use super::limits::at_least_one;
use super::{Config, KMeansOptions, NetworkInputs, NetworkOptions, Options, StartOptions, Task};
use crate::baselines::KMeans;
use crate::clustering::{Clusterer, Clustering};
use crate::features::{AutoencoderOptions, Pipeline, TrainedAutoencoder, train_autoencoder};
use crate::methods::kmeans::EMBEDDING_RESTARTS;
use crate::network::{Device, Weights};
use crate::train::{History, Observer};
use crate::{Error, Result, Seed};
use ndarray::{Array2, ArrayView2, Axis};
use rand::seq::SliceRandom;
use serde::{Deserialize, Serialize};

/// Where the clusters of a method with an autoencoder come from first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum FirstClusters {
    /// k-means of the codes
    #[default]
    KMeans,
    /// The method ensemble on the rows: the start of neuncut
    Ensemble,
}

/// How an autoencoder is trained before there are clusters, and where those come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "clap", derive(clap::Args))]
#[serde(default, rename_all = "kebab-case")]
pub struct AutoencoderStart {
    /// Most passes over the rows in which the autoencoder is trained before there are clusters; it stops when nothing is gained
    #[cfg_attr(feature = "clap", arg(long, value_name = "N"))]
    pub pretrain_epochs: usize,
    /// The clusters it continues from: k-means of the codes, or those of the method ensemble
    #[cfg_attr(feature = "clap", arg(long, value_enum))]
    pub first_clusters: FirstClusters,
    /// k-means of the codes.
    #[serde(flatten)]
    #[cfg_attr(feature = "clap", command(flatten))]
    pub k_means: KMeansOptions,
}

impl Default for AutoencoderStart {
    fn default() -> Self {
        Self { pretrain_epochs: 30, first_clusters: FirstClusters::default(), k_means: KMeansOptions::default() }
    }
}

/// A trained autoencoder, and a clustering of the rows.
pub(super) struct PretrainedAutoencoder {
    pub representation: Pipeline,
    pub inputs: NetworkInputs,
    pub encoder: Weights,
    pub decoder: Weights,
    pub labels: Vec<u32>,
    pub curve: History,
}

impl AutoencoderStart {
    /// Refuses what no fit could use; `network` is that of the autoencoder.
    pub(super) fn check(&self, network: &NetworkOptions, config: &Config) -> Result<()> {
        at_least_one("pretrain-epochs", self.pretrain_epochs)?;
        self.k_means.check()?;
        if config.device != Device::Cpu {
            let device = format!("{:?}", config.device).to_lowercase();
            let must =
                format!("cpu for {}, whose autoencoder and clusters are trained together there alone", config.method);
            return Err(Error::config("device", device, must));
        }
        network.check(config.clusters)
    }

    /// Trains the autoencoder with codes of so many numbers, and finds the clusters.
    pub(super) fn of(
        &self,
        task: Task,
        network: &NetworkOptions,
        code: usize,
        observer: &mut dyn Observer,
    ) -> Result<PretrainedAutoencoder> {
        let representation = task.representation()?;
        let inputs = NetworkInputs::of(&representation.transform(task.rows));
        let seed = Seed(task.config.seed);
        let mut order: Vec<usize> = (0..task.rows.nrows()).collect();
        order.shuffle(&mut seed.stream("pretraining"));
        let options = AutoencoderOptions {
            hidden: network.hidden.widths().to_vec(),
            batch: network.rows_per_batch(),
            epochs: self.pretrain_epochs,
            ..AutoencoderOptions::default()
        };
        let shuffled = inputs.rows.select(Axis(0), &order);
        let TrainedAutoencoder { encoder, decoder, history: curve } =
            train_autoencoder(shuffled.view(), code, &options, seed, Device::Cpu, observer)?;
        observer.go_on()?;
        let labels = match self.first_clusters {
            FirstClusters::KMeans => {
                observer.stage("k-means");
                self.k_means_of(encoder.outputs(inputs.rows.view()).view(), task.config)?
            }
            FirstClusters::Ensemble => StartOptions::default().fit(task, observer)?.labels,
        };
        observer.go_on()?;
        Ok(PretrainedAutoencoder { representation, inputs, encoder, decoder, labels, curve })
    }

    fn k_means_of(&self, codes: ArrayView2<f32>, config: &Config) -> Result<Vec<u32>> {
        let restarts = self.k_means.restarts.unwrap_or(EMBEDDING_RESTARTS);
        Ok(KMeans { restarts, seed: config.seed, ..KMeans::new(config.clusters) }.fit(codes)?.labels().to_vec())
    }
}

/// The mean of the codes of each cluster `(k, p)`, and how many there are; the mean of all for a cluster without any.
pub(super) fn cluster_means(codes: &Array2<f32>, labels: &[u32], k: usize) -> (Array2<f64>, Vec<f64>) {
    let codes = codes.mapv(f64::from);
    let mut means = Array2::zeros((k, codes.ncols()));
    let mut counts = vec![0.0; k];
    for (row, &label) in codes.rows().into_iter().zip(labels) {
        let mut mean = means.row_mut(label as usize);
        mean += &row;
        counts[label as usize] += 1.0;
    }
    let overall = codes.mean_axis(Axis(0)).expect("there are rows");
    for (mut mean, &count) in means.rows_mut().into_iter().zip(&counts) {
        if count > 0.0 { mean /= count } else { mean.assign(&overall) }
    }
    (means, counts)
}
