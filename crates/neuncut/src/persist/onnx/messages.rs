//! The messages of an ONNX file that a model needs, by the field numbers of `onnx.proto3` (IR version 8).

use super::wire::{Fields, Message};

/// The type of an attribute that is one whole number.
pub(super) const ATTRIBUTE_INT: i32 = 2;
/// Element types of tensors.
pub(super) const FLOAT: i32 = 1;
pub(super) const INT64: i32 = 7;

/// The file.
pub(super) struct ModelProto {
    pub ir_version: i64,
    pub producer_name: String,
    pub producer_version: String,
    pub graph: GraphProto,
    pub opset_import: Vec<OperatorSet>,
}

impl Message for ModelProto {
    fn write(&self, fields: &mut Fields) {
        fields.int(1, self.ir_version);
        fields.text(2, &self.producer_name);
        fields.text(3, &self.producer_version);
        fields.message(7, &self.graph);
        fields.messages(8, &self.opset_import);
    }
}

/// Which operators are meant.
pub(super) struct OperatorSet {
    pub domain: String,
    pub version: i64,
}

impl Message for OperatorSet {
    fn write(&self, fields: &mut Fields) {
        fields.text(1, &self.domain);
        fields.int(2, self.version);
    }
}

/// Nodes in order, with the arrays they use.
#[derive(Default)]
pub(super) struct GraphProto {
    pub node: Vec<NodeProto>,
    pub name: String,
    pub initializer: Vec<TensorProto>,
    pub input: Vec<ValueInfo>,
    pub output: Vec<ValueInfo>,
}

impl Message for GraphProto {
    fn write(&self, fields: &mut Fields) {
        fields.messages(1, &self.node);
        fields.text(2, &self.name);
        fields.messages(5, &self.initializer);
        fields.messages(11, &self.input);
        fields.messages(12, &self.output);
    }
}

/// One operation.
#[derive(Debug)]
pub(super) struct NodeProto {
    pub input: Vec<String>,
    pub output: Vec<String>,
    pub name: String,
    pub op_type: String,
    pub attribute: Vec<Attribute>,
}

impl Message for NodeProto {
    fn write(&self, fields: &mut Fields) {
        fields.texts(1, &self.input);
        fields.texts(2, &self.output);
        fields.text(3, &self.name);
        fields.text(4, &self.op_type);
        fields.messages(5, &self.attribute);
    }
}

/// A whole number that an operation has.
#[derive(Debug)]
pub(super) struct Attribute {
    pub name: String,
    pub int: i64,
    pub kind: i32,
}

impl Message for Attribute {
    fn write(&self, fields: &mut Fields) {
        fields.text(1, &self.name);
        fields.int(3, self.int);
        fields.int(20, self.kind.into());
    }
}

/// An array, its values in little-endian bytes.
pub(super) struct TensorProto {
    pub dims: Vec<i64>,
    pub data_type: i32,
    pub name: String,
    pub raw_data: Vec<u8>,
}

impl Message for TensorProto {
    fn write(&self, fields: &mut Fields) {
        fields.ints(1, &self.dims);
        fields.int(2, self.data_type.into());
        fields.text(8, &self.name);
        fields.bytes(9, &self.raw_data);
    }
}

/// What goes in or comes out.
pub(super) struct ValueInfo {
    pub name: String,
    pub kind: TypeProto,
}

impl Message for ValueInfo {
    fn write(&self, fields: &mut Fields) {
        fields.text(1, &self.name);
        fields.message(2, &self.kind);
    }
}

/// A type; here always that of a tensor.
pub(super) struct TypeProto {
    pub tensor: TensorType,
}

impl Message for TypeProto {
    fn write(&self, fields: &mut Fields) {
        fields.message(1, &self.tensor);
    }
}

/// The type of a tensor.
pub(super) struct TensorType {
    pub element: i32,
    pub shape: Shape,
}

impl Message for TensorType {
    fn write(&self, fields: &mut Fields) {
        fields.int(1, self.element.into());
        fields.message(2, &self.shape);
    }
}

/// The shape of a tensor.
pub(super) struct Shape {
    pub dim: Vec<Dimension>,
}

impl Message for Shape {
    fn write(&self, fields: &mut Fields) {
        fields.messages(1, &self.dim);
    }
}

/// One side of a tensor: a number, or the name of one that is not known yet.
pub(super) enum Dimension {
    Value(i64),
    Name(String),
}

impl Message for Dimension {
    fn write(&self, fields: &mut Fields) {
        match self {
            Self::Value(value) => fields.given_int(1, *value),
            Self::Name(name) => fields.text(2, name),
        }
    }
}
