//! A network from an ONNX file, made ready by tract to be run on batches of a fixed number of rows.

use super::spec::EncoderSpec;
use crate::{Error, Result, Seed};
use rand::RngExt;
use std::sync::Arc;
use tract_onnx::pb::ModelProto;
use tract_onnx::prelude::*;
use tract_onnx::tract_hir::infer::Factoid;
use tract_onnx::tract_hir::internal::DimLike;

/// Rows at a time where a row is a vector. Images and other rows of several sides go one by one: one alone keeps a core busy.
const VECTORS: usize = 16;
/// By how many places rows are moved to see whether others change what is made of them.
const MOVED: usize = 5;
/// Numbers for one row that are believed.
const MOST: usize = 1 << 24;

/// A network that can be run.
#[derive(Debug)]
pub(super) struct Session {
    plan: Arc<TypedRunnableModel>,
    batch: usize,
    sides: Vec<usize>,
    outputs: usize,
}

impl Session {
    /// Reads a file. `batch` is how many rows go in at a time where that was found before.
    pub fn open(bytes: &[u8], spec: &EncoderSpec, batch: Option<usize>) -> Result<Self> {
        let refused = |problem: String| Error::model(&spec.path, problem);
        let file = File::read(bytes, spec).map_err(refused)?;
        let given = file.batch.or(batch).unwrap_or(if file.sides.len() == 1 { VECTORS } else { 1 });
        let session = file.clone().session(given).map_err(refused)?;
        if batch.is_some() || given == 1 || session.keeps_rows_apart().map_err(refused)? {
            return Ok(session);
        }
        if file.batch.is_some() {
            let problem = format!("makes other numbers of a row beside other rows in its {given}: {SINGLE}");
            return Err(refused(problem));
        }
        file.session(1).map_err(refused)
    }

    /// The shape of one row's input.
    pub fn sides(&self) -> &[usize] {
        &self.sides
    }

    /// Rows at a time.
    pub fn batch(&self) -> usize {
        self.batch
    }

    /// Numbers that come out for a row.
    pub fn n_outputs(&self) -> usize {
        self.outputs
    }

    /// Runs one batch: rows in a line, and what is made of them in a line.
    pub fn run(&self, rows: &[f32]) -> Result<Vec<f32>, String> {
        let shape = [&[self.batch], &self.sides[..]].concat();
        let found = Tensor::from_shape(&shape, rows).and_then(|input| self.plan.run(tvec!(input.into())));
        let values = found.and_then(|found| Ok(found[0].try_as_plain_ram()?.as_slice::<f32>()?.to_vec()));
        values.map_err(|e| format!("cannot be run on these rows ({e}): {OTHER_ROWS}"))
    }

    /// Whether a row gives the same bits wherever it stands in a batch, and beside whichever rows.
    fn keeps_rows_apart(&self) -> Result<bool, String> {
        let (width, mut rng) = (self.sides.iter().product::<usize>(), Seed(0).stream("encoder"));
        let mut rows: Vec<f32> = (0..2 * self.batch * width).map(|_| rng.random::<f32>() - 0.5).collect();
        let moved = MOVED % self.batch;
        let before = self.run(&rows[..self.batch * width])?;
        rows.drain(..moved * width);
        let after = self.run(&rows[..self.batch * width])?;
        let same = before[moved * self.outputs..].iter().zip(&after).all(|(a, b)| a.to_bits() == b.to_bits());
        Ok(same)
    }
}

/// What to do about a network of a fixed number of rows.
const SINGLE: &str = "export it with a free number of rows, or with one";
/// What to do about rows that a network cannot be run on.
const OTHER_ROWS: &str = "give it rows like those it was trained on";

/// What a file holds, before it is known how many rows go in at a time.
#[derive(Clone)]
struct File {
    model: InferenceModel,
    /// The number of rows that the file fixes.
    batch: Option<usize>,
    sides: Vec<usize>,
}

impl File {
    fn read(bytes: &[u8], spec: &EncoderSpec) -> Result<Self, String> {
        // shapes that are written beside the input name the number of rows, which is fixed here
        let onnx = onnx().with_ignore_value_info(true).with_ignore_output_shapes(true);
        let is_none = "is not an ONNX file, or is cut short: give what an exporter such as torch.onnx.export wrote";
        let proto = onnx.proto_model_for_read(&mut &bytes[..]).map_err(|_| is_none.to_string())?;
        if proto.graph.as_ref().is_none_or(|graph| graph.node.is_empty()) {
            return Err(is_none.into());
        }
        one_input(&proto)?;
        let model = onnx.model_for_proto_model(&proto).map_err(|e| cannot_be_read(&e))?;
        let model = with_one_output(model, &proto, spec.output.as_deref())?;
        let (batch, sides) = input_shape(&model, spec)?;
        Ok(Self { model, batch, sides })
    }

    /// The network for so many rows at a time.
    fn session(self, batch: usize) -> Result<Session, String> {
        let shape: TVec<usize> = [&[batch], &self.sides[..]].concat().into();
        let plan = self
            .model
            .with_input_fact(0, InferenceFact::dt_shape(f32::datum_type(), shape))
            .and_then(|model| model.into_optimized())
            .and_then(|model| model.into_runnable())
            .map_err(|e| cannot_be_read(&e))?;
        let output = plan.model().output_fact(0).map_err(|e| cannot_be_read(&e))?;
        let shape = output.shape.as_concrete().map(<[usize]>::to_vec).unwrap_or_default();
        let outputs = shape.iter().skip(1).product();
        if output.datum_type != f32::datum_type() || shape.first() != Some(&batch) || !(1..=MOST).contains(&outputs) {
            let (kind, rows) = (output.datum_type, batch);
            return Err(format!(
                "gives {kind:?} of the shape {shape:?} for {rows} rows: choose an output of floats with a line for each row by output=NAME"
            ));
        }
        Ok(Session { plan, batch, sides: self.sides, outputs })
    }
}

/// Refuses networks that take something else than one array.
fn one_input(proto: &ModelProto) -> Result<(), String> {
    let Some(graph) = &proto.graph else { return Ok(()) };
    let is_weight = |name: &str| graph.initializer.iter().any(|tensor| tensor.name == name);
    let inputs: Vec<&str> = graph.input.iter().map(|input| &*input.name).filter(|name| !is_weight(name)).collect();
    match inputs[..] {
        [_] => Ok(()),
        _ => Err(format!(
            "takes {} inputs ({}), where an encoder of rows has one: export the part behind one array of floats",
            inputs.len(),
            inputs.join(", ")
        )),
    }
}

fn with_one_output(model: InferenceModel, proto: &ModelProto, wanted: Option<&str>) -> Result<InferenceModel, String> {
    let names: Vec<&str> = proto.graph.iter().flat_map(|graph| &graph.output).map(|output| &*output.name).collect();
    match (wanted, &names[..]) {
        (None, [_]) => Ok(model),
        (None, _) => Err(format!("gives {}: choose one by output=NAME", names.join(" and "))),
        (Some(name), _) => model
            .with_outputs_by_name([name])
            .map_err(|_| format!("has no output {name}: it has {}", names.join(" and "))),
    }
}

/// The number of rows, where it is fixed, and the other sides of the input.
fn input_shape(model: &InferenceModel, spec: &EncoderSpec) -> Result<(Option<usize>, Vec<usize>), String> {
    let fact = model.input_fact(0).map_err(|e| cannot_be_read(&e))?;
    let kind = fact.datum_type.concretize();
    if kind.is_some_and(|kind| kind != f32::datum_type()) {
        let kind = format!("{:?}", kind.unwrap_or(f32::datum_type())).to_lowercase();
        return Err(format!("takes {kind} where rows are f32: export the part behind an array of such floats"));
    }
    let sides: Vec<Option<usize>> =
        fact.shape.dims().map(|side| side.concretize().and_then(|side| side.to_usize().ok())).collect();
    let is_open = fact.shape.rank().concretize().is_none();
    let free = "has an input whose sides are not fixed but for the number of rows";
    let Some((&batch, sides)) = sides.split_first().filter(|(_, sides)| !sides.is_empty() && !is_open) else {
        return Err(format!(
            "{free}: export it for an input of the shape (rows, columns) or (rows, channels, height, width)"
        ));
    };
    let sides: Option<Vec<usize>> = match (sides, spec.size) {
        (&[Some(channels), None, None], Some((width, height))) => Some(vec![channels, height, width]),
        (&[None, None, Some(channels)], Some((width, height))) => Some(vec![height, width, channels]),
        _ => sides.iter().copied().collect(),
    };
    let sides =
        sides.ok_or_else(|| format!("{free}: give size=WxH if rows are images, or export it with fixed sides"))?;
    let values = sides.iter().try_fold(1_usize, |product, &side| product.checked_mul(side));
    match values {
        Some(1..=MOST) => Ok((batch, sides)),
        _ => Err(format!("has an input of the impossible sides {sides:?}: export it again")),
    }
}

/// Why tract cannot make use of a graph, by the first line of what it says.
fn cannot_be_read(error: &TractError) -> String {
    let reason = error.root_cause().to_string();
    let reason = reason.lines().next().unwrap_or_default().trim_end_matches('.');
    format!("cannot be made ready by tract ({reason}): export it again, in one file and with opset 18 or lower")
}
