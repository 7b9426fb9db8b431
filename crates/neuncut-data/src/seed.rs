//! Named random streams: one seed, one independent generator a purpose.
//!
//! A stream depends on the seed and its name alone. Adding a stage that draws numbers therefore never changes what another
//! stage draws, and the same seed gives the same bytes on any machine and any number of threads (ChaCha is portable).
//!
//! ```
//! use neuncut_data::Seed;
//! use rand::RngExt;
//!
//! let draw = |purpose| Seed(7).stream(purpose).random::<u64>();
//! assert_eq!(draw("shuffle"), draw("shuffle"));
//! assert_ne!(draw("shuffle"), draw("start"));
//! ```

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use twox_hash::XxHash3_64;

/// The generator behind every stream.
pub type Stream = ChaCha8Rng;

/// A user's seed, from which all streams are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The generator for one purpose, such as `"init"` or `"shuffle"`.
    pub fn stream(self, purpose: &str) -> Stream {
        Stream::seed_from_u64(XxHash3_64::oneshot_with_seed(self.0, purpose.as_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;

    #[test]
    fn streams_depend_on_seed_and_name_only() {
        let draw = |seed: u64, name: &str| Seed(seed).stream(name).random::<u64>();
        assert_eq!(draw(1, "init"), draw(1, "init"));
        assert_ne!(draw(1, "init"), draw(1, "shuffle"));
        assert_ne!(draw(1, "init"), draw(2, "init"));
    }
}
