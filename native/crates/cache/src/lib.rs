//! Maps that are bounded in bytes.

mod clock_cache;

pub use clock_cache::ClockCache;
