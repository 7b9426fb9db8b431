//! A model as an ONNX file (opset 18), for any engine that runs such files: rows in, memberships and labels out.
//!
//! Feature steps are part of the graph. Only those that are no arithmetic on whole rows (scattering, resizing, nearest
//! landmarks) cannot be written; a model with one of these is refused by name.

mod graph;
mod messages;
mod wire;

use super::container;
use crate::data::AtomicFile;
use crate::features::{MOST_SQUARED, Step};
use crate::methods::Model;
use crate::network::Weights;
use crate::{Error, Result};
use graph::Graph;
use messages::{ModelProto, OperatorSet};
use ndarray::Array2;
use std::f32::consts::SQRT_2;
use std::path::Path;
use wire::Message;

/// The versions of the file's form and of its operators; the first is that of ONNX 1.13, which has the second.
const IR_VERSION: i64 = 8;
const OPSET: i64 = 18;
/// Names of what goes in and what comes out.
const ROWS: &str = "rows";
const MEMBERSHIPS: &str = "memberships";
const LABELS: &str = "labels";
/// Rows shorter than this are zero rows, which unit length leaves as they are.
const SHORTEST: f32 = 1e-30;

impl Model {
    /// The bytes of an ONNX file with the input `rows` (batch, columns), and the outputs `memberships` (batch, clusters) and
    /// `labels` (batch), where batch is any number.
    ///
    /// # Errors
    /// When a feature step has no counterpart there.
    pub fn to_onnx(&self) -> Result<Vec<u8>> {
        Ok(ModelProto {
            ir_version: IR_VERSION,
            producer_name: "neuncut".into(),
            producer_version: env!("CARGO_PKG_VERSION").into(),
            graph: graph_of(self)?.into_message(),
            opset_import: vec![OperatorSet { domain: String::new(), version: OPSET }],
        }
        .to_bytes())
    }

    /// Writes the ONNX file; an existing file is replaced only by a complete one.
    ///
    /// # Errors
    /// When a feature step has no counterpart there, or the file cannot be written.
    pub fn export_onnx(&self, path: &Path) -> Result<()> {
        let bytes = self.to_onnx()?;
        let mut file = AtomicFile::create(path)?;
        container::write(&mut file, &bytes)?;
        Ok(file.commit()?)
    }
}

/// From the rows through all steps and layers to the outputs.
fn graph_of(model: &Model) -> Result<Graph> {
    let mut graph = Graph::new("neuncut");
    let mut rows = graph.input(ROWS, model.columns);
    for step in model.steps() {
        rows = add_step(&mut graph, step, &rows)?;
    }
    let outputs = add_layers(&mut graph, &model.head, &rows);
    match &model.grouping {
        None => graph.apply_as(MEMBERSHIPS, "Softmax", &[&outputs], &[("axis", 1)]),
        Some(grouping) => {
            let shares = graph.apply("Softmax", &[&outputs], &[("axis", 1)]);
            let each = Array2::eye(model.head.n_outputs());
            let groups = graph.matrix(grouping.memberships(each.view()).view());
            graph.apply_as(MEMBERSHIPS, "MatMul", &[&shares, &groups], &[]);
        }
    }
    graph.apply_as(LABELS, "ArgMax", &[MEMBERSHIPS], &[("axis", 1), ("keepdims", 0)]);
    graph.output_matrix(MEMBERSHIPS, model.n_clusters());
    graph.output_numbers(LABELS);
    Ok(graph)
}

/// Adds one feature step on the value `rows`.
fn add_step(graph: &mut Graph, step: &Step, rows: &str) -> Result<String> {
    Ok(match step {
        Step::Center(mean) => {
            let mean = graph.vector(mean.view());
            graph.apply("Sub", &[rows, &mean], &[])
        }
        Step::Divide(by) => {
            let by = graph.vector(by.view());
            graph.apply("Div", &[rows, &by], &[])
        }
        Step::Scale(factor) => {
            let factor = graph.number(*factor);
            graph.apply("Mul", &[rows, &factor], &[])
        }
        Step::Unit => add_unit(graph, rows),
        Step::Ridge(whitening) => {
            let unit = add_unit(graph, rows);
            let map = graph.matrix(whitening.map.view());
            let whitened = graph.apply("MatMul", &[&unit, &map], &[]);
            add_unit(graph, &whitened)
        }
        Step::Project(map) => {
            let map = graph.matrix(map.view());
            graph.apply("MatMul", &[rows, &map], &[])
        }
        Step::Encode(encoder) => add_layers(graph, encoder, rows),
        Step::Squares => {
            let (least, most) = (graph.number(-MOST_SQUARED), graph.number(MOST_SQUARED));
            let kept = graph.apply("Clip", &[rows, &least, &most], &[]);
            let squares = graph.apply("Mul", &[&kept, &kept], &[]);
            graph.apply("Concat", &[rows, &squares], &[("axis", 1)])
        }
        Step::Log { offset } => {
            let offset = graph.number(*offset);
            let positive = graph.apply("Relu", &[rows], &[]);
            let raised = graph.apply("Add", &[&positive, &offset], &[]);
            graph.apply("Log", &[&raised], &[])
        }
        Step::Fourier(features) => {
            let (frequencies, phases) =
                (graph.matrix(features.frequencies.view()), graph.vector(features.phases.view()));
            let (scale, length) = (graph.number(features.scale), graph.number(SQRT_2));
            let turns = graph.apply("MatMul", &[rows, &frequencies], &[]);
            let turns = graph.apply("Add", &[&turns, &phases], &[]);
            let waves = graph.apply("Cos", &[&turns], &[]);
            let waves = graph.apply("Mul", &[&waves, &length], &[]);
            let scaled = graph.apply("Mul", &[rows, &scale], &[]);
            graph.apply("Concat", &[&scaled, &waves], &[("axis", 1)])
        }
        Step::Resize(_) => return Err(no_counterpart("resize")),
        Step::Scattering(_) => return Err(no_counterpart("scattering")),
        Step::Landmarks(_) => {
            let must =
                "one of matrix products and sums: label rows by `neuncut predict`, or export a model of another method";
            return Err(Error::config("feature step", "nearest landmarks", must));
        }
        Step::Exemplars(_) => return Err(no_counterpart("exemplars")),
        Step::Encoder(_) => return Err(no_counterpart("onnx")),
    })
}

/// Rows of length one; a zero row stays zero.
fn add_unit(graph: &mut Graph, rows: &str) -> String {
    let (axes, shortest) = (graph.integers(&[1]), graph.number(SHORTEST));
    let length = graph.apply("ReduceL2", &[rows, &axes], &[("keepdims", 1)]);
    let length = graph.apply("Max", &[&length, &shortest], &[]);
    graph.apply("Div", &[rows, &length], &[])
}

/// Layers with ReLU between them.
fn add_layers(graph: &mut Graph, weights: &Weights, rows: &str) -> String {
    let mut activations = rows.to_string();
    for (l, layer) in weights.layers.iter().enumerate() {
        let (weight, bias) = (graph.matrix(layer.weight.view()), graph.vector(layer.bias.view()));
        activations = graph.apply("Gemm", &[&activations, &weight, &bias], &[]);
        if l + 1 < weights.layers.len() {
            activations = graph.apply("Relu", &[&activations], &[]);
        }
    }
    activations
}

fn no_counterpart(step: &str) -> Error {
    let must = "one of matrix products and sums: compute such features first (`neuncut features`), and export a model that is \
                fitted on them";
    Error::config("feature step", step, must)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::ImageShape;
    use crate::features::{Pipeline, Scattering};
    use crate::methods::Config;
    use ndarray::Array1;

    fn model(steps: Vec<Step>, columns: usize) -> Model {
        let chain = Pipeline { steps };
        let head = Weights::random(&[chain.n_features(columns), 4, 3], &mut crate::Seed(1).stream("onnx"));
        Model { chain, ..Model::new(Config::new(3), columns, head) }
    }

    #[test]
    fn the_graph_goes_from_rows_to_labels_by_names_that_are_there() {
        let steps = vec![Step::Center(Array1::zeros(5)), Step::Unit, Step::Project(Array2::eye(5)), Step::Scale(2.0)];
        let graph = graph_of(&model(steps, 5)).unwrap().into_message();
        let operations: Vec<&str> = graph.node.iter().map(|node| node.op_type.as_str()).collect();
        let unit = ["ReduceL2", "Max", "Div"];
        let layers = ["Gemm", "Relu", "Gemm", "Softmax", "ArgMax"];
        assert_eq!(operations, [&["Sub"][..], &unit, &["MatMul", "Mul"], &layers].concat());
        let mut known: Vec<String> = graph.initializer.iter().map(|array| array.name.clone()).collect();
        known.extend(graph.input.iter().map(|input| input.name.clone()));
        for node in graph.node {
            assert!(node.input.iter().all(|name| known.contains(name)), "{node:?}");
            known.extend(node.output);
        }
        assert!(graph.output.iter().all(|output| known.contains(&output.name)) && graph.output.len() == 2);
    }

    #[test]
    fn a_step_that_is_no_arithmetic_on_rows_is_refused_by_name() {
        let shape = ImageShape { height: 8, width: 8, channels: 1 };
        let scattering = Step::Scattering(Scattering::new(shape, 2, 4).unwrap());
        let message = model(vec![scattering], 64).to_onnx().unwrap_err().to_string();
        assert!(message.contains("feature step is scattering") && message.contains("neuncut features"), "{message}");
    }
}
