//! Between ndarray and Burn.

use burn::tensor::{Device, Tensor, TensorData};
use ndarray::{Array2, ArrayView2};

/// A copy of the rows as a Burn tensor.
pub(crate) fn tensor_of(rows: ArrayView2<f32>, device: &Device) -> Tensor<2> {
    let shape = [rows.nrows(), rows.ncols()];
    let values = match rows.as_slice() {
        Some(slice) => slice.to_vec(),
        None => rows.iter().copied().collect(),
    };
    Tensor::from_data(TensorData::new(values, shape), device)
}

/// The values of a Burn matrix.
pub(crate) fn matrix_of(tensor: Tensor<2>) -> Array2<f32> {
    let [rows, columns] = tensor.dims();
    let values = tensor.into_data().convert::<f32>().try_into_vec::<f32>().unwrap_or_default();
    Array2::from_shape_vec((rows, columns), values).unwrap_or_else(|_| Array2::zeros((rows, columns)))
}
