//! Between ndarray and Burn.

use crate::{Error, Result};
use burn::tensor::{Device, Tensor, TensorData};
use ndarray::{Array2, ArrayView2};

/// A copy of the rows as data of Burn's.
pub(super) fn data_of(rows: ArrayView2<f32>) -> TensorData {
    TensorData::new(rows.iter().copied().collect::<Vec<f32>>(), [rows.nrows(), rows.ncols()])
}

/// A copy of the rows as a Burn tensor.
pub(crate) fn tensor_of(rows: ArrayView2<f32>, device: &Device) -> Tensor<2> {
    Tensor::from_data(data_of(rows), device)
}

/// The numbers of a Burn tensor, read back from its device.
pub(super) fn values_of<const D: usize>(tensor: Tensor<D>) -> Result<Vec<f32>> {
    let device = format!("{:?}", tensor.device());
    tensor.try_into_vec_as::<f32>().map_err(|error| Error::DeviceFailed { device, problem: error.to_string() })
}

/// The values of a Burn matrix.
pub(crate) fn matrix_of(tensor: Tensor<2>) -> Result<Array2<f32>> {
    let [rows, columns] = tensor.dims();
    let values = values_of(tensor)?;
    Ok(Array2::from_shape_vec((rows, columns), values).expect("a tensor has as many numbers as its shape says"))
}
