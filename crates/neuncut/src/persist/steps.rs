//! Feature steps in a model file: a tag in the header, arrays among the tensors.

use super::container::{FILE, FileKind, Files};
use super::{Tensors, matrix, put_weights, read_weights, take_matrix, take_vector, vector};
use crate::Error;
use crate::data::ImageShape;
use crate::features::{
    Closeness, Encoder, EncoderFile, ExemplarCode, FourierFeatures, LandmarkMap, Pipeline, Place, Resize,
    RidgeWhitening, Scattering, Step, StepSpec,
};
use serde::{Deserialize, Serialize};
use std::path::Path;

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
    Resize { from: Shape, to: Shape, bytes: bool },
    Scattering { shape: Shape, scales: usize, angles: usize },
    Project,
    Encode,
    Squares,
    Log { offset: f32 },
    Landmarks { nearest: usize, closeness: ClosenessRecord },
    Exemplars { error_weight: f32 },
    Onnx(EncoderRecord),
}

/// An encoder without its file.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) struct EncoderRecord {
    /// What was written in the chain.
    step: String,
    /// The hash of its file, in hexadecimal.
    hash: String,
    /// Whether the file is in this one.
    embedded: bool,
    /// Rows that are run at a time.
    batch: usize,
    /// The images that come in, and whether their pixels are bytes.
    image: Option<(Shape, bool)>,
}

/// What is in a file beside its document, and which file it is.
pub(super) struct Inside<'a> {
    pub tensors: Tensors,
    pub files: Files,
    pub path: &'a Path,
}

/// Why steps cannot be read.
pub(super) enum Refusal {
    /// The file is not what it should be.
    Broken(String),
    /// It is, but its encoder cannot be had.
    Encoder(Error),
}

impl Refusal {
    /// As an error about a file of this kind.
    pub fn about(self, kind: &FileKind, path: &Path) -> Error {
        match self {
            Self::Broken(what) => kind.broken(path, what),
            Self::Encoder(error) => error,
        }
    }
}

impl From<String> for Refusal {
    fn from(what: String) -> Self {
        Self::Broken(what)
    }
}

/// How affinity to landmarks falls with distance.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum ClosenessRecord {
    Heat(f32),
    Inverse,
    Adaptive,
}

/// Steps of a part, and values of an image, that are believed.
const MOST_STEPS: usize = 64;
const MOST_VALUES: usize = 1 << 24;
/// Rows at a time that an encoder may take.
const MOST_ROWS: usize = 1 << 12;

/// Height, width and channels.
type Shape = [usize; 3];

fn shape(shape: ImageShape) -> Shape {
    [shape.height, shape.width, shape.channels]
}

fn misfit(columns: usize) -> String {
    format!("has feature steps that do not fit its configuration (one cannot take {columns} columns)")
}

/// The shape of a record, where rows of `columns` can be such images.
fn image_of(shape: &Shape, columns: usize) -> Result<ImageShape, String> {
    let image = image(shape)?;
    if image.len() == columns { Ok(image) } else { Err(misfit(columns)) }
}

/// The shape of a record, where its size can be that of an image.
fn image(shape: &Shape) -> Result<ImageShape, String> {
    let [height, width, channels] = *shape;
    let fits = shape.iter().all(|side| (1..=1 << 14).contains(side)) && height * width * channels <= MOST_VALUES;
    if fits {
        Ok(ImageShape { height, width, channels })
    } else {
        Err(format!("has a feature step of the impossible shape {shape:?}"))
    }
}

/// The steps of a pipeline; names of their arrays begin with `prefix`.
pub(super) fn to_records(pipeline: &Pipeline, prefix: &str, tensors: &mut Tensors) -> Vec<StepRecord> {
    pipeline.steps.iter().enumerate().map(|(s, step)| to_record(&format!("{prefix}.{s}"), step, tensors)).collect()
}

/// The files of encoders that a pipeline holds.
pub(super) fn files(pipeline: &Pipeline, prefix: &str) -> Files {
    let embedded = |(s, step): (usize, &Step)| match step {
        Step::Encoder(encoder) => match &encoder.file().place {
            Place::Model(bytes) => Some((format!("{prefix}.{s}{FILE}"), bytes.clone())),
            Place::Beside => None,
        },
        _ => None,
    };
    pipeline.steps.iter().enumerate().filter_map(embedded).collect()
}

/// The steps of a file for rows of `columns`; each must take what the one before it gives.
pub(super) fn from_records(
    records: &[StepRecord],
    prefix: &str,
    columns: usize,
    inside: &mut Inside,
) -> Result<Pipeline, Refusal> {
    if records.len() > MOST_STEPS {
        return Err(format!("has {} feature steps, more than {MOST_STEPS}", records.len()).into());
    }
    let mut pipeline = Pipeline::default();
    for (s, record) in records.iter().enumerate() {
        let given = pipeline.n_features(columns);
        let name = format!("{prefix}.{s}");
        let step = match record {
            StepRecord::Onnx(record) => Step::Encoder(encoder(&name, record, given, inside)?.into()),
            _ => from_record(&name, record, given, &mut inside.tensors)?,
        };
        if step.output_columns(given).is_none() {
            return Err(misfit(given).into());
        }
        pipeline.steps.push(step);
    }
    Ok(pipeline)
}

fn to_record(name: &str, step: &Step, tensors: &mut Tensors) -> StepRecord {
    match step {
        Step::Center(mean) => {
            tensors.insert(format!("{name}.mean"), vector(mean));
            StepRecord::Center
        }
        Step::Divide(by) => {
            tensors.insert(format!("{name}.by"), vector(by));
            StepRecord::Divide
        }
        Step::Unit => StepRecord::Unit,
        Step::Ridge(whitening) => {
            tensors.insert(format!("{name}.map"), matrix(&whitening.map));
            StepRecord::Ridge
        }
        Step::Scale(factor) => StepRecord::Scale(*factor),
        Step::Fourier(features) => {
            tensors.insert(format!("{name}.frequencies"), matrix(&features.frequencies));
            tensors.insert(format!("{name}.phases"), vector(&features.phases));
            StepRecord::Fourier { scale: features.scale }
        }
        Step::Resize(resize) => {
            StepRecord::Resize { from: shape(resize.from), to: shape(resize.to), bytes: resize.bytes }
        }
        Step::Scattering(scattering) => StepRecord::Scattering {
            shape: shape(scattering.shape()),
            scales: scattering.scales(),
            angles: scattering.angles(),
        },
        Step::Project(map) => {
            tensors.insert(format!("{name}.map"), matrix(map));
            StepRecord::Project
        }
        Step::Encode(encoder) => {
            put_weights(encoder, name, tensors);
            StepRecord::Encode
        }
        Step::Squares => StepRecord::Squares,
        Step::Log { offset } => StepRecord::Log { offset: *offset },
        Step::Landmarks(LandmarkMap { landmarks, closeness, nearest, map }) => {
            tensors.insert(format!("{name}.landmarks"), matrix(landmarks));
            tensors.insert(format!("{name}.map"), matrix(map));
            let closeness = match *closeness {
                Closeness::Heat { factor } => ClosenessRecord::Heat(factor),
                Closeness::Inverse => ClosenessRecord::Inverse,
                Closeness::Adaptive => ClosenessRecord::Adaptive,
            };
            StepRecord::Landmarks { nearest: *nearest, closeness }
        }
        Step::Exemplars(code) => {
            tensors.insert(format!("{name}.exemplars"), matrix(&code.exemplars().to_owned()));
            StepRecord::Exemplars { error_weight: code.error_weight() }
        }
        Step::Encoder(encoder) => StepRecord::Onnx(EncoderRecord {
            step: encoder.spec().to_string(),
            hash: format!("{:016x}", encoder.file().hash),
            embedded: matches!(encoder.file().place, Place::Model(_)),
            batch: encoder.batch(),
            image: encoder.pixels().map(|pixels| (shape(pixels.from), pixels.bytes)),
        }),
    }
}

/// The encoder of a record, from its file.
fn encoder(name: &str, record: &EncoderRecord, columns: usize, inside: &mut Inside) -> Result<Encoder, Refusal> {
    let EncoderRecord { step, hash, embedded, batch, image } = record;
    let Ok(StepSpec::Encoder(spec)) = step.parse::<StepSpec>() else {
        return Err(format!("has an encoder written as {step}").into());
    };
    let hash = u64::from_str_radix(hash, 16).map_err(|_| format!("has an encoder of the impossible hash {hash}"))?;
    let place = match embedded {
        true => Place::Model(
            inside.files.remove(&format!("{name}{FILE}")).ok_or("lacks the file of its encoder".to_string())?,
        ),
        false => Place::Beside,
    };
    if !(1..=MOST_ROWS).contains(batch) {
        return Err(format!("has an encoder that takes {batch} rows at a time").into());
    }
    let image = match image {
        Some((shape, bytes)) => Some((image_of(shape, columns)?, *bytes)),
        None => None,
    };
    let file = EncoderFile { hash, place };
    Encoder::restore(spec, file, *batch, image, columns, inside.path).map_err(Refusal::Encoder)
}

fn from_record(name: &str, record: &StepRecord, columns: usize, tensors: &mut Tensors) -> Result<Step, String> {
    Ok(match record {
        StepRecord::Center => Step::Center(take_vector(tensors, &format!("{name}.mean"))?),
        StepRecord::Divide => Step::Divide(take_vector(tensors, &format!("{name}.by"))?),
        StepRecord::Unit => Step::Unit,
        StepRecord::Ridge => Step::Ridge(RidgeWhitening { map: take_matrix(tensors, &format!("{name}.map"))? }),
        StepRecord::Scale(factor) => Step::Scale(*factor),
        StepRecord::Fourier { scale } => Step::Fourier(FourierFeatures {
            scale: *scale,
            frequencies: take_matrix(tensors, &format!("{name}.frequencies"))?,
            phases: take_vector(tensors, &format!("{name}.phases"))?,
        }),
        StepRecord::Resize { from, to, bytes } => {
            let to = image(to)?;
            Step::Resize(Resize::new(image_of(from, columns)?, to.height, to.width, *bytes).map_err(|e| e.to_string())?)
        }
        StepRecord::Scattering { shape, scales, angles } => {
            Step::Scattering(Scattering::new(image_of(shape, columns)?, *scales, *angles).map_err(|e| e.to_string())?)
        }
        StepRecord::Squares => Step::Squares,
        StepRecord::Log { offset } => Step::Log { offset: *offset },
        StepRecord::Encode => Step::Encode(read_weights(tensors, name)?),
        StepRecord::Landmarks { nearest, closeness } => Step::Landmarks(LandmarkMap {
            landmarks: take_matrix(tensors, &format!("{name}.landmarks"))?,
            closeness: match *closeness {
                ClosenessRecord::Heat(factor) => Closeness::Heat { factor },
                ClosenessRecord::Inverse => Closeness::Inverse,
                ClosenessRecord::Adaptive => Closeness::Adaptive,
            },
            nearest: *nearest,
            map: take_matrix(tensors, &format!("{name}.map"))?,
        }),
        StepRecord::Exemplars { error_weight } => {
            let exemplars = take_matrix(tensors, &format!("{name}.exemplars"))?;
            if exemplars.nrows() > ExemplarCode::MOST {
                return Err(format!("has {} exemplars, more than {}", exemplars.nrows(), ExemplarCode::MOST));
            }
            Step::Exemplars(ExemplarCode::new(exemplars, *error_weight))
        }
        StepRecord::Project => Step::Project(take_matrix(tensors, &format!("{name}.map"))?),
        StepRecord::Onnx(_) => return Err("has an encoder where none can be".into()),
    })
}
