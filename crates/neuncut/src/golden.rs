//! Numbers that other programs computed, in the files of `tests/golden`.

use crate::network::{Layer, Weights};
use ndarray::{Array1, Array2};
use safetensors::SafeTensors;
use safetensors::tensor::{Dtype, TensorView};

/// One of the files.
pub(crate) struct Golden(SafeTensors<'static>);

impl Golden {
    pub fn of(bytes: &'static [u8]) -> Self {
        Self(SafeTensors::deserialize(bytes).expect("the golden file is a safetensors file"))
    }

    fn view(&self, name: &str, dtype: Dtype) -> TensorView<'_> {
        let view = self.0.tensor(name).unwrap_or_else(|_| panic!("the golden file lacks {name}"));
        assert_eq!(view.dtype(), dtype, "{name}");
        view
    }

    pub fn numbers(&self, name: &str) -> Vec<f32> {
        let view = self.view(name, Dtype::F32);
        view.data().chunks_exact(4).map(|bytes| f32::from_le_bytes(bytes.try_into().unwrap())).collect()
    }

    pub fn doubles(&self, name: &str) -> Vec<f64> {
        let view = self.view(name, Dtype::F64);
        view.data().chunks_exact(8).map(|bytes| f64::from_le_bytes(bytes.try_into().unwrap())).collect()
    }

    /// A single double.
    pub fn scalar(&self, name: &str) -> f64 {
        let [scalar] = self.doubles(name)[..] else { panic!("{name} is no scalar") };
        scalar
    }

    pub fn vector(&self, name: &str) -> Array1<f32> {
        self.numbers(name).into()
    }

    /// A matrix; a vector is one row.
    pub fn matrix(&self, name: &str) -> Array2<f32> {
        let shape = match *self.view(name, Dtype::F32).shape() {
            [columns] => (1, columns),
            [rows, columns] => (rows, columns),
            ref other => panic!("{name} has the shape {other:?}"),
        };
        Array2::from_shape_vec(shape, self.numbers(name)).unwrap()
    }

    pub fn layer(&self, name: &str) -> Layer {
        Layer { weight: self.matrix(&format!("{name}.weight")), bias: self.vector(&format!("{name}.bias")) }
    }

    /// A network of three layers.
    pub fn network(&self, prefix: &str) -> Weights {
        Weights { layers: (0..3).map(|l| self.layer(&format!("{prefix}.layer{l}"))).collect() }
    }
}
