//! Matrix products on all cores by the `gemm` crate, of which this is the only caller.
//!
//! The product of two rows never depends on the number of threads: `gemm` splits the output, not the summation.

use gemm::Parallelism;
use ndarray::{Array2, ArrayView2, ArrayViewMut2, LinalgScalar};

/// How many cores a product may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cores {
    /// The calling thread only: for products inside a parallel loop.
    One,
    /// Every thread of the current rayon pool.
    All,
}

/// A number that `gemm` multiplies: `f32` or `f64`.
pub trait Scalar: LinalgScalar {}
impl Scalar for f32 {}
impl Scalar for f64 {}

/// `left` times `right` on all cores. Transposed views cost nothing.
pub fn matmul<T: Scalar>(left: ArrayView2<T>, right: ArrayView2<T>) -> Array2<T> {
    let mut product = Array2::zeros((left.nrows(), right.ncols()));
    matmul_into(product.view_mut(), left, right, Cores::All);
    product
}

/// Writes `left` times `right` into `product`.
///
/// # Panics
/// If the shapes do not fit.
pub fn matmul_into<T: Scalar>(product: ArrayViewMut2<T>, left: ArrayView2<T>, right: ArrayView2<T>, cores: Cores) {
    multiply(product, left, right, cores, false);
}

/// Adds `left` times `right` to `sum` on all cores.
///
/// # Panics
/// If the shapes do not fit.
pub fn matmul_add<T: Scalar>(sum: ArrayViewMut2<T>, left: ArrayView2<T>, right: ArrayView2<T>) {
    multiply(sum, left, right, Cores::All, true);
}

fn multiply<T: Scalar>(
    mut product: ArrayViewMut2<T>,
    left: ArrayView2<T>,
    right: ArrayView2<T>,
    cores: Cores,
    add: bool,
) {
    let (m, k) = left.dim();
    let (k2, n) = right.dim();
    assert!(k == k2 && product.dim() == (m, n), "matmul of {m} x {k} and {k2} x {n} into {:?}", product.dim());
    let parallelism = match cores {
        Cores::One => Parallelism::None,
        Cores::All => Parallelism::Rayon(0),
    };
    let stride = |strides: &[isize]| (strides[1], strides[0]);
    let (dst_cs, dst_rs) = stride(product.strides());
    let (lhs_cs, lhs_rs) = stride(left.strides());
    let (rhs_cs, rhs_rs) = stride(right.strides());
    // SAFETY: pointers, strides and sizes are those of three live ndarray views whose shapes were checked above, and
    // `product` is borrowed mutably, so it cannot overlap the inputs.
    unsafe {
        gemm::gemm(
            m,
            n,
            k,
            product.as_mut_ptr(),
            dst_cs,
            dst_rs,
            add,
            left.as_ptr(),
            lhs_cs,
            lhs_rs,
            right.as_ptr(),
            rhs_cs,
            rhs_rs,
            if add { T::one() } else { T::zero() },
            T::one(),
            false,
            false,
            false,
            parallelism,
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn agrees_with_a_product_by_hand_and_takes_transposed_views() {
        let a = array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let b = array![[1.0_f32, 0.0], [0.0, 1.0], [1.0, 1.0]];
        assert_eq!(matmul(a.view(), b.view()), array![[4.0, 5.0], [10.0, 11.0]]);
        assert_eq!(matmul(b.t(), a.t()), array![[4.0, 10.0], [5.0, 11.0]]);
        let mut sum = array![[1.0_f32, 2.0], [3.0, 4.0]];
        matmul_add(sum.view_mut(), a.view(), b.view());
        assert_eq!(sum, array![[5.0, 7.0], [13.0, 15.0]]);
    }

    #[test]
    fn is_the_same_to_the_bit_on_one_and_on_many_threads() {
        let a = Array2::from_shape_fn((317, 203), |(i, j)| ((i * 31 + j * 17) % 101) as f32 * 0.013 - 0.5);
        let b = Array2::from_shape_fn((203, 211), |(i, j)| ((i * 13 + j * 29) % 97) as f32 * 0.017 - 0.7);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| matmul(a.view(), b.view()))
        };
        assert_eq!(run(1), run(2));
        assert_eq!(run(1), run(3));
        let mut alone = Array2::zeros((317, 211));
        matmul_into(alone.view_mut(), a.view(), b.view(), Cores::One);
        assert_eq!(run(2), alone);
    }
}
