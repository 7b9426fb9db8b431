//! The innermost loop of a matrix product: a small block of the result, kept in registers while rows and columns go by.
//!
//! Every entry is one chain of sums in the order of the inner dimension, on every processor and wherever in a matrix it lies: so
//! a row's product never depends on the rows around it, nor on threads.

use std::sync::OnceLock;

/// The largest block of any kernel, in entries.
pub(super) const LARGEST: usize = 14 * 32;

/// A kernel and the size of its block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kernel {
    /// Rows of a block.
    pub rows: usize,
    /// Columns of a block.
    pub columns: usize,
    run: unsafe fn(usize, *const f32, *const f32, *mut f32, *const f32),
}

impl Kernel {
    /// The fastest kernel of this processor.
    pub fn best() -> &'static Self {
        static BEST: OnceLock<Kernel> = OnceLock::new();
        BEST.get_or_init(|| Self::all().into_iter().next().unwrap_or(PORTABLE))
    }

    /// The kernels that this processor can run, fastest first.
    pub fn all() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                all.push(Self { rows: 14, columns: 32, run: x86::wide });
            }
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                all.push(Self { rows: 6, columns: 16, run: x86::half });
            }
        }
        all.push(PORTABLE);
        all
    }

    /// Writes the product of `left`, `rows` numbers for each place of the inner dimension, and `right`, `columns` numbers for
    /// each, into `block`, row by row. `ahead` is what is needed soon: up to 64 bytes of it for each place are brought nearer.
    ///
    /// # Panics
    /// If the sizes do not fit.
    pub fn multiply(&self, left: &[f32], right: &[f32], block: &mut [f32; LARGEST], ahead: &[f32]) {
        let depth = left.len() / self.rows;
        assert!(left.len() == depth * self.rows && right.len() == depth * self.columns, "panels of a product");
        // SAFETY: the panels have `depth` times `rows` and `columns` entries, the block has room for the largest kernel, and
        // `all` lists a kernel only where the processor has its instructions.
        unsafe { (self.run)(depth, left.as_ptr(), right.as_ptr(), block.as_mut_ptr(), ahead.as_ptr()) }
    }
}

const PORTABLE: Kernel = Kernel { rows: 4, columns: 8, run: portable };

/// For any processor.
///
/// # Safety
/// `left` and `right` must have `depth` times 4 and 8 readable entries, `block` 32 writable ones.
unsafe fn portable(depth: usize, left: *const f32, right: *const f32, block: *mut f32, _: *const f32) {
    let mut sums = [[0.0_f32; 8]; 4];
    for step in 0..depth {
        // SAFETY: `step` is below `depth`.
        let (left, right) =
            unsafe { (&*left.add(step * 4).cast::<[f32; 4]>(), &*right.add(step * 8).cast::<[f32; 8]>()) };
        for (sums, x) in sums.iter_mut().zip(left) {
            for (sum, y) in sums.iter_mut().zip(right) {
                *sum = if cfg!(target_arch = "aarch64") { x.mul_add(*y, *sum) } else { *sum + x * y };
            }
        }
    }
    // SAFETY: the caller's block has 32 entries.
    unsafe { block.cast::<[[f32; 8]; 4]>().write(sums) }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use std::arch::x86_64::*;

    /// 14 rows and 32 columns in 28 registers of AVX-512.
    ///
    /// # Safety
    /// The processor must have AVX-512; `left` and `right` must have `depth` times 14 and 32 readable entries, `block` 448
    /// writable ones.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn wide(
        depth: usize,
        mut left: *const f32,
        mut right: *const f32,
        block: *mut f32,
        mut ahead: *const f32,
    ) {
        let mut sums = [[_mm512_setzero_ps(); 2]; 14];
        // SAFETY: the pointers go over `depth` panels of 14 and 32 entries, then over the block; to fetch ahead is allowed anywhere.
        unsafe {
            for _ in 0..depth {
                _mm_prefetch::<_MM_HINT_T1>(ahead.cast());
                ahead = ahead.wrapping_add(16);
                let (first, second) = (_mm512_loadu_ps(right), _mm512_loadu_ps(right.add(16)));
                for (i, sum) in sums.iter_mut().enumerate() {
                    let x = _mm512_set1_ps(*left.add(i));
                    sum[0] = _mm512_fmadd_ps(x, first, sum[0]);
                    sum[1] = _mm512_fmadd_ps(x, second, sum[1]);
                }
                left = left.add(14);
                right = right.add(32);
            }
            for (i, sum) in sums.iter().enumerate() {
                _mm512_storeu_ps(block.add(i * 32), sum[0]);
                _mm512_storeu_ps(block.add(i * 32 + 16), sum[1]);
            }
        }
    }

    /// 6 rows and 16 columns in 12 registers of AVX2.
    ///
    /// # Safety
    /// The processor must have AVX2 and FMA; `left` and `right` must have `depth` times 6 and 16 readable entries, `block` 96
    /// writable ones.
    #[target_feature(enable = "avx2,fma")]
    pub unsafe fn half(depth: usize, mut left: *const f32, mut right: *const f32, block: *mut f32, _: *const f32) {
        let mut sums = [[_mm256_setzero_ps(); 2]; 6];
        // SAFETY: the pointers go over `depth` panels of 6 and 16 entries, then over the block.
        unsafe {
            for _ in 0..depth {
                let (first, second) = (_mm256_loadu_ps(right), _mm256_loadu_ps(right.add(8)));
                for (i, sum) in sums.iter_mut().enumerate() {
                    let x = _mm256_set1_ps(*left.add(i));
                    sum[0] = _mm256_fmadd_ps(x, first, sum[0]);
                    sum[1] = _mm256_fmadd_ps(x, second, sum[1]);
                }
                left = left.add(6);
                right = right.add(16);
            }
            for (i, sum) in sums.iter().enumerate() {
                _mm256_storeu_ps(block.add(i * 16), sum[0]);
                _mm256_storeu_ps(block.add(i * 16 + 8), sum[1]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kernel_of_this_processor_multiplies() {
        for kernel in Kernel::all() {
            let (rows, columns) = (kernel.rows, kernel.columns);
            let value = |i: usize| ((i * 37 + 11) % 29) as f32 * 0.25 - 3.0; // products and sums of these are exact
            for depth in [0, 1, 7, 40] {
                let left: Vec<f32> = (0..depth * rows).map(value).collect();
                let right: Vec<f32> = (0..depth * columns).map(|i| value(i + 5)).collect();
                let mut block = [f32::NAN; LARGEST];
                kernel.multiply(&left, &right, &mut block, &right);
                for i in 0..rows {
                    for j in 0..columns {
                        let expected: f32 = (0..depth).map(|d| left[d * rows + i] * right[d * columns + j]).sum();
                        assert_eq!(block[i * columns + j], expected, "{i} {j} of {rows} x {columns}, depth {depth}");
                    }
                }
            }
        }
    }
}
