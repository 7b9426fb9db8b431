//! The allocator of the programs: mimalloc, whose large blocks together stay below a limit.
//!
//! Training allocates temporaries at every step, and mimalloc keeps their pages. Where memory runs out, a Rust program aborts; here it
//! ends with a sentence and an exit code before that. Temporary files that it leaves are swept by the next run.
//!
//! ```
//! use neuncut_cli::allocator::Bounded;
//!
//! #[global_allocator]
//! static ALLOCATOR: Bounded = Bounded;
//!
//! assert_eq!(vec![1_u8; 1 << 20].len(), 1 << 20); // there is no limit until the command sets one
//! ```

#![allow(
    unsafe_code,
    reason = "`GlobalAlloc` is an unsafe trait: this one counts, and hands every call to mimalloc as it came"
)]

use crate::exit;
use crate::memory::Bytes;
use mimalloc::MiMalloc;
use std::alloc::{GlobalAlloc, Layout};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Blocks from this size on are counted: smaller ones are many and take little.
const LARGE: usize = 1 << 16;

/// Bytes that large blocks may take together.
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);
/// Bytes that they take.
static TAKEN: AtomicUsize = AtomicUsize::new(0);

/// Sets the limit; none is no limit.
pub(crate) fn limit(bytes: Option<usize>) {
    LIMIT.store(bytes.unwrap_or(usize::MAX), Relaxed);
}

/// The limit, where there is one.
pub(crate) fn limited() -> Option<usize> {
    Some(LIMIT.load(Relaxed)).filter(|bytes| *bytes < usize::MAX)
}

/// mimalloc with a limit, which the command sets.
#[derive(Debug)]
pub struct Bounded;

// SAFETY: every call goes to mimalloc as it came, or the process ends.
unsafe impl GlobalAlloc for Bounded {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: the caller's promises are those that mimalloc asks for; likewise below.
        unsafe { MiMalloc.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        take(layout.size());
        // SAFETY: see above.
        unsafe { MiMalloc.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        give_back(layout.size());
        // SAFETY: see above.
        unsafe { MiMalloc.dealloc(block, layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        take(size);
        give_back(layout.size());
        // SAFETY: see above.
        unsafe { MiMalloc.realloc(block, layout, size) }
    }
}

fn take(size: usize) {
    if size >= LARGE {
        let (taken, limit) = (TAKEN.fetch_add(size, Relaxed).saturating_add(size), LIMIT.load(Relaxed));
        if taken > limit {
            LIMIT.store(usize::MAX, Relaxed); // what is left to be said needs a little memory
            exit::out_of_memory(Bytes(taken), Bytes(limit));
        }
    }
}

fn give_back(size: usize) {
    if size >= LARGE {
        TAKEN.fetch_sub(size, Relaxed);
    }
}
