//! The innermost loop of a matrix product: a small block of the result, kept in registers while rows and columns go by.
//!
//! Every entry is one chain of sums in the order of the inner dimension, on every processor and wherever in a matrix it lies: so
//! a row's product never depends on the rows around it, nor on threads.

use super::pair::Pair;
use std::sync::OnceLock;

/// The largest block of any kernel, in entries.
pub(super) const LARGEST: usize = 14 * 32;

/// What a place of the inner dimension holds: a number, or two rounded ones.
pub trait Element: Copy + Default + Send + Sync + 'static {
    /// The fastest kernel of this processor.
    fn kernel() -> &'static Kernel<Self>;
}

/// A kernel and the size of its block.
#[derive(Debug, Clone, Copy)]
pub struct Kernel<E> {
    /// Rows of a block.
    pub(super) rows: usize,
    /// Columns of a block.
    pub(super) columns: usize,
    run: unsafe fn(usize, *const E, *const E, *mut f32, *const E),
}

impl Element for f32 {
    fn kernel() -> &'static Kernel<Self> {
        static BEST: OnceLock<Kernel<f32>> = OnceLock::new();
        BEST.get_or_init(|| Kernel::<f32>::all().into_iter().next().unwrap_or(PORTABLE))
    }
}

impl Element for Pair {
    fn kernel() -> &'static Kernel<Self> {
        static BEST: OnceLock<Kernel<Pair>> = OnceLock::new();
        BEST.get_or_init(|| Kernel::<Pair>::all().into_iter().next().unwrap_or(PORTABLE_PAIRS))
    }
}

impl Kernel<f32> {
    /// The kernels that this processor can run, fastest first.
    fn all() -> Vec<Self> {
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
}

impl Kernel<Pair> {
    /// Whether this processor has instructions for pairs.
    pub(super) fn has_pairs() -> bool {
        #[cfg(target_arch = "x86_64")]
        return is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512bf16");
        #[cfg(not(target_arch = "x86_64"))]
        return false;
    }

    /// The kernels that this processor can run, fastest first.
    fn all() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        if Self::has_pairs() {
            all.push(Self { rows: 14, columns: 32, run: x86::wide_pairs });
        }
        all.push(PORTABLE_PAIRS);
        all
    }
}

impl<E> Kernel<E> {
    /// Writes the product of `left`, `rows` elements for each place of the inner dimension, and `right`, `columns` elements for
    /// each, into `block`, row by row. `ahead` is what is needed soon: up to 64 bytes of it for each place are brought nearer.
    ///
    /// # Panics
    /// If the sizes do not fit.
    pub(super) fn multiply(&self, left: &[E], right: &[E], block: &mut [f32; LARGEST], ahead: &[E]) {
        let depth = left.len() / self.rows;
        assert!(left.len() == depth * self.rows && right.len() == depth * self.columns, "panels of a product");
        // SAFETY: the panels have `depth` times `rows` and `columns` entries, the block has room for the largest kernel, and
        // `all` lists a kernel only where the processor has its instructions.
        unsafe { (self.run)(depth, left.as_ptr(), right.as_ptr(), block.as_mut_ptr(), ahead.as_ptr()) }
    }
}

const PORTABLE: Kernel<f32> = Kernel { rows: 4, columns: 8, run: portable };
const PORTABLE_PAIRS: Kernel<Pair> = Kernel { rows: 4, columns: 8, run: portable_pairs };

/// For any processor.
///
/// # Safety
/// `left` and `right` must have `depth` times 4 and 8 readable entries, `block` 32 writable ones.
unsafe fn portable(depth: usize, left: *const f32, right: *const f32, block: *mut f32, _: *const f32) {
    // SAFETY: the caller's promise.
    unsafe {
        in_blocks(depth, left, right, block, |x, y, sum| {
            if cfg!(target_arch = "aarch64") { x.mul_add(y, sum) } else { sum + x * y }
        })
    }
}

/// The same of pairs.
///
/// # Safety
/// As above.
unsafe fn portable_pairs(depth: usize, left: *const Pair, right: *const Pair, block: *mut f32, _: *const Pair) {
    // SAFETY: the caller's promise.
    unsafe { in_blocks(depth, left, right, block, |x, y, sum| sum + x.low() * y.low() + x.high() * y.high()) }
}

/// Adds up what `add` makes of each row's and each column's element, place by place.
///
/// # Safety
/// `left` and `right` must have `depth` times 4 and 8 readable entries, `block` 32 writable ones.
#[inline(always)]
unsafe fn in_blocks<E: Copy>(
    depth: usize,
    left: *const E,
    right: *const E,
    block: *mut f32,
    add: impl Fn(E, E, f32) -> f32,
) {
    let mut sums = [[0.0_f32; 8]; 4];
    for step in 0..depth {
        // SAFETY: `step` is below `depth`.
        let (left, right) = unsafe { (&*left.add(step * 4).cast::<[E; 4]>(), &*right.add(step * 8).cast::<[E; 8]>()) };
        for (sums, &x) in sums.iter_mut().zip(left) {
            sums.iter_mut().zip(right).for_each(|(sum, &y)| *sum = add(x, y, *sum));
        }
    }
    // SAFETY: the caller's block has 32 entries.
    unsafe { block.cast::<[[f32; 8]; 4]>().write(sums) }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::Pair;
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
            store(&sums, block);
        }
    }

    /// 14 rows and 32 columns of pairs.
    ///
    /// # Safety
    /// The processor must have AVX-512 with BF16; otherwise as above.
    #[target_feature(enable = "avx512f,avx512bf16")]
    pub unsafe fn wide_pairs(
        depth: usize,
        left: *const Pair,
        right: *const Pair,
        block: *mut f32,
        mut ahead: *const Pair,
    ) {
        let (mut left, mut right) = (left.cast::<i32>(), right.cast::<i32>());
        let mut sums = [[_mm512_setzero_ps(); 2]; 14];
        // SAFETY: the pointers go over `depth` panels of 14 and 32 pairs of 32 bits, then over the block; registers of integers and
        // of pairs hold the same bits.
        unsafe {
            for _ in 0..depth {
                _mm_prefetch::<_MM_HINT_T1>(ahead.cast());
                ahead = ahead.wrapping_add(16);
                let first = std::mem::transmute::<__m512i, __m512bh>(_mm512_loadu_epi32(right));
                let second = std::mem::transmute::<__m512i, __m512bh>(_mm512_loadu_epi32(right.add(16)));
                for (i, sum) in sums.iter_mut().enumerate() {
                    let x = std::mem::transmute::<__m512i, __m512bh>(_mm512_set1_epi32(*left.add(i)));
                    sum[0] = _mm512_dpbf16_ps(sum[0], x, first);
                    sum[1] = _mm512_dpbf16_ps(sum[1], x, second);
                }
                left = left.add(14);
                right = right.add(32);
            }
            store(&sums, block);
        }
    }

    /// Writes sums row by row.
    ///
    /// # Safety
    /// `block` must have 448 writable entries.
    #[inline]
    #[target_feature(enable = "avx512f")]
    unsafe fn store(sums: &[[__m512; 2]; 14], block: *mut f32) {
        for (i, sum) in sums.iter().enumerate() {
            // SAFETY: the caller's promise.
            unsafe {
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

    fn value(i: usize) -> f32 {
        ((i * 37 + 11) % 29) as f32 * 0.25 - 3.0 // products and sums of these are exact, and they are not rounded as pairs
    }

    fn check<E: Copy>(kernel: Kernel<E>, element: impl Fn(usize) -> E, times: impl Fn(E, E) -> f32) {
        let (rows, columns) = (kernel.rows, kernel.columns);
        for depth in [0, 1, 7, 40] {
            let left: Vec<E> = (0..depth * rows).map(&element).collect();
            let right: Vec<E> = (0..depth * columns).map(|i| element(i + 5)).collect();
            let mut block = [f32::NAN; LARGEST];
            kernel.multiply(&left, &right, &mut block, &right);
            for i in 0..rows {
                for j in 0..columns {
                    let expected: f32 = (0..depth).map(|d| times(left[d * rows + i], right[d * columns + j])).sum();
                    assert_eq!(block[i * columns + j], expected, "{i} {j} of {rows} x {columns}, depth {depth}");
                }
            }
        }
    }

    #[test]
    fn every_kernel_of_this_processor_multiplies() {
        Kernel::<f32>::all().into_iter().for_each(|kernel| check(kernel, value, |x, y| x * y));
        let times = |x: Pair, y: Pair| x.low() * y.low() + x.high() * y.high();
        let pair = |i| Pair::rounded(value(i), value(3 * i + 1));
        Kernel::<Pair>::all().into_iter().for_each(|kernel| check(kernel, pair, times));
    }
}
