//! The kernels of neuncut, with every line of `unsafe` that they need.
//!
#![doc = include_str!("../README.md")]
//!
//! # Modules
//!
//! | module | holds |
//! |---|---|
//! | (root) | [`matmul`] by the gemm crate; [`Packed`], products of our own, where the right-hand matrix is used often or what follows is done in the cache; [`Pair`], bfloat16; [`cholesky`] |
//! | [`vector`] | loops in wide vectors: exponential, softmax, sums in a fixed order |
//! | [`rows`] | gathering, centring, column sums on all cores |
//! | [`tiles`] | rows in tiles of fixed size, so that a row's bits do not depend on its neighbours |
//! | [`lanes`] | sixteen images side by side: Fourier transforms, band-pass and low-pass filters |

mod cholesky;
mod kernel;
pub mod lanes;
mod matmul;
mod norm;
mod packed;
mod packing;
mod pair;
pub mod rows;
mod symmetric;
pub mod tiles;
pub mod vector;

pub use cholesky::cholesky;
pub use kernel::{Element, Kernel};
pub use matmul::{Cores, Scalar, matmul, matmul_add, matmul_into};
pub use norm::{length, spectral_bound};
pub use packed::{Block, Packed, PackedRows, product};
pub use pair::{Pair, Rounded};
pub use symmetric::symmetric_product;

#[cfg(test)]
mod testing {
    use ndarray::Array2;
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    /// A generator of its own for each test.
    pub fn generator(seed: u64) -> ChaCha8Rng {
        ChaCha8Rng::seed_from_u64(seed)
    }

    /// A matrix of small whole numbers: sums of their products are exact, and rounding leaves them as they are.
    pub fn whole_numbers(n: usize, d: usize, seed: u64) -> Array2<f32> {
        let mut rng = generator(seed);
        Array2::from_shape_fn((n, d), |_| rng.random_range(-9..10) as f32)
    }
}
