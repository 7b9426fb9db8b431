//! Counts what is allocated: a small file must not take much memory, and what was taken is given back.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// Memory that a file may take: so many times its size, and so much beside.
const TIMES_ITS_SIZE: usize = 4;
const BESIDE: usize = 256 << 20;
/// Memory that may stay behind after any number of files: caches, and buffers of threads.
const STAYS: usize = 64 << 20;
/// Open files that may stay behind.
const FILES_STAY: usize = 16;
/// How often open files are counted, in files read.
const COUNT_FILES: usize = 4096;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);
static RUNS: AtomicUsize = AtomicUsize::new(0);

/// The system's allocator, with a count.
pub struct Counted;

// SAFETY: every call goes to the system's allocator as it came.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: the caller's promises are those of the system's allocator.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        taken(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        taken(size);
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

fn taken(size: usize) {
    let live = LIVE.fetch_add(size, Relaxed) + size;
    PEAK.fetch_max(live, Relaxed);
}

/// Does the work on a file of so many bytes, and panics where it took too much memory or kept some.
pub fn watched(bytes: usize, work: impl FnOnce()) {
    let before = LIVE.load(Relaxed);
    PEAK.store(before, Relaxed);
    work();
    let peak = PEAK.load(Relaxed).saturating_sub(before);
    assert!(peak <= TIMES_ITS_SIZE * bytes + BESIDE, "a file of {bytes} bytes took {peak} bytes of memory");
    let live = LIVE.load(Relaxed);
    assert!(live <= STAYS, "{live} bytes of memory were not given back");
    if RUNS.fetch_add(1, Relaxed).is_multiple_of(COUNT_FILES) {
        let open = std::fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        assert!(open <= FILES_STAY, "{open} files are open");
    }
}
