//! An encoder, a decoder and what is trained among codes, as one network.

use crate::Result;
use crate::network::{Parameters, Segment, Trainable, Weights};

/// Rows to codes, codes to rows, and the parameters of the clusters.
pub(super) struct CodedNetwork {
    pub encoder: Segment,
    pub decoder: Segment,
    pub clusters: Parameters,
}

impl CodedNetwork {
    /// A trainable network with these weights.
    pub fn new(encoder: &Weights, decoder: &Weights, clusters: Parameters) -> Self {
        Self { encoder: Segment::new(encoder), decoder: Segment::new(decoder), clusters }
    }

    fn parts(&mut self) -> [&mut dyn Trainable; 3] {
        [&mut self.encoder, &mut self.decoder, &mut self.clusters]
    }
}

impl Trainable for CodedNetwork {
    fn begin(&mut self, weight_decay: f32) {
        self.parts().into_iter().for_each(|part| part.begin(weight_decay));
    }

    fn step(&mut self, learning_rate: f64) {
        self.parts().into_iter().for_each(|part| part.step(learning_rate));
    }

    fn is_finite(&self) -> Result<bool> {
        Ok(self.encoder.is_finite()? && self.decoder.is_finite()? && self.clusters.is_finite()?)
    }
}
