//! Feature steps in a model file: a tag in the header, arrays among the tensors.

use super::{Tensors, matrix, take_matrix, take_vector, vector};
use crate::features::{FourierFeatures, RidgeWhitening, Step};
use serde::{Deserialize, Serialize};

/// A step without its arrays.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum StepRecord {
    Center,
    Divide,
    Unit,
    Ridge,
    Scale(f32),
    Fourier { scale: f32 },
}

pub(super) fn to_record(s: usize, step: &Step, tensors: &mut Tensors) -> StepRecord {
    match step {
        Step::Center(mean) => {
            tensors.insert(format!("feature.{s}.mean"), vector(mean));
            StepRecord::Center
        }
        Step::Divide(by) => {
            tensors.insert(format!("feature.{s}.by"), vector(by));
            StepRecord::Divide
        }
        Step::Unit => StepRecord::Unit,
        Step::Ridge(whitening) => {
            tensors.insert(format!("feature.{s}.map"), matrix(&whitening.map));
            StepRecord::Ridge
        }
        Step::Scale(factor) => StepRecord::Scale(*factor),
        Step::Fourier(features) => {
            tensors.insert(format!("feature.{s}.frequencies"), matrix(&features.frequencies));
            tensors.insert(format!("feature.{s}.phases"), vector(&features.phases));
            StepRecord::Fourier { scale: features.scale }
        }
    }
}

pub(super) fn from_record(s: usize, record: &StepRecord, tensors: &mut Tensors) -> Result<Step, String> {
    Ok(match record {
        StepRecord::Center => Step::Center(take_vector(tensors, &format!("feature.{s}.mean"))?),
        StepRecord::Divide => Step::Divide(take_vector(tensors, &format!("feature.{s}.by"))?),
        StepRecord::Unit => Step::Unit,
        StepRecord::Ridge => Step::Ridge(RidgeWhitening { map: take_matrix(tensors, &format!("feature.{s}.map"))? }),
        StepRecord::Scale(factor) => Step::Scale(*factor),
        StepRecord::Fourier { scale } => Step::Fourier(FourierFeatures {
            scale: *scale,
            frequencies: take_matrix(tensors, &format!("feature.{s}.frequencies"))?,
            phases: take_vector(tensors, &format!("feature.{s}.phases"))?,
        }),
    })
}
