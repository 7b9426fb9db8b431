//! A graph under construction: each operation takes named values and gives a new one.

use super::messages::{
    ATTRIBUTE_INT, Attribute, Dimension, FLOAT, GraphProto, INT64, NodeProto, Shape, TensorProto, TensorType,
    TypeProto, ValueInfo,
};
use ndarray::{ArrayView1, ArrayView2};

/// The name of the side whose length is the number of rows.
const BATCH: &str = "batch";

/// What has been built so far.
#[derive(Default)]
pub(super) struct Graph {
    graph: GraphProto,
}

impl Graph {
    /// An empty graph of this name.
    pub fn new(name: &str) -> Self {
        Self { graph: GraphProto { name: name.into(), ..Default::default() } }
    }

    /// Rows that come in, `(batch, columns)`.
    pub fn input(&mut self, name: &str, columns: usize) -> String {
        self.graph.input.push(value(name, FLOAT, &[columns]));
        name.into()
    }

    /// A number per row and column that goes out, `(batch, columns)`.
    pub fn output_matrix(&mut self, name: &str, columns: usize) {
        self.graph.output.push(value(name, FLOAT, &[columns]));
    }

    /// A whole number per row that goes out, `(batch,)`.
    pub fn output_numbers(&mut self, name: &str) {
        self.graph.output.push(value(name, INT64, &[]));
    }

    /// A matrix that the graph holds.
    pub fn matrix(&mut self, array: ArrayView2<f32>) -> String {
        self.floats(array.shape(), array.iter())
    }

    /// A vector that the graph holds.
    pub fn vector(&mut self, array: ArrayView1<f32>) -> String {
        self.floats(array.shape(), array.iter())
    }

    /// A number that the graph holds.
    pub fn number(&mut self, number: f32) -> String {
        self.floats(&[], [number].iter())
    }

    /// Whole numbers that the graph holds, such as the axes of a sum.
    pub fn integers(&mut self, numbers: &[i64]) -> String {
        let bytes = numbers.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.tensor(&[numbers.len()], INT64, bytes)
    }

    /// One operation on named values; gives the name of its result.
    pub fn apply(&mut self, operation: &str, inputs: &[&str], attributes: &[(&str, i64)]) -> String {
        let result = format!("{}_{}", operation.to_lowercase(), self.graph.node.len());
        self.apply_as(&result, operation, inputs, attributes);
        result
    }

    /// One operation whose result has this name.
    pub fn apply_as(&mut self, result: &str, operation: &str, inputs: &[&str], attributes: &[(&str, i64)]) {
        let attribute = |&(name, int): &(&str, i64)| Attribute { name: name.into(), int, kind: ATTRIBUTE_INT };
        self.graph.node.push(NodeProto {
            input: inputs.iter().map(ToString::to_string).collect(),
            output: vec![result.into()],
            name: format!("{operation}_{}", self.graph.node.len()),
            op_type: operation.into(),
            attribute: attributes.iter().map(attribute).collect(),
        });
    }

    /// The finished message.
    pub fn into_message(self) -> GraphProto {
        self.graph
    }

    fn floats<'a>(&mut self, shape: &[usize], values: impl Iterator<Item = &'a f32>) -> String {
        self.tensor(shape, FLOAT, values.flat_map(|x| x.to_le_bytes()).collect())
    }

    fn tensor(&mut self, shape: &[usize], data_type: i32, raw_data: Vec<u8>) -> String {
        let name = format!("array_{}", self.graph.initializer.len());
        let dims = shape.iter().map(|&side| side as i64).collect();
        self.graph.initializer.push(TensorProto { dims, data_type, name: name.clone(), raw_data });
        name
    }
}

/// A value of this many rows, which are not known yet, and these further sides.
fn value(name: &str, element: i32, sides: &[usize]) -> ValueInfo {
    let known = sides.iter().map(|&side| Dimension::Value(side as i64));
    let dim = std::iter::once(Dimension::Name(BATCH.into())).chain(known).collect();
    ValueInfo { name: name.into(), kind: TypeProto { tensor: TensorType { element, shape: Shape { dim } } } }
}
