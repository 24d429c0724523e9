//! Stopping work that runs on another thread.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};

/// Tells running work to stop. Any thread may raise it; the work checks it every few microseconds.
#[derive(Clone, Debug)]
pub enum Interrupt {
    /// A flag of the core.
    Flag(Arc<AtomicBool>),
    /// Memory shared with JavaScript; any value but zero means stop.
    Word(&'static AtomicI32),
}

impl Interrupt {
    /// True when to stop.
    #[inline]
    pub fn raised(&self) -> bool {
        match self {
            Self::Flag(flag) => flag.load(Ordering::Relaxed),
            Self::Word(word) => word.load(Ordering::Relaxed) != 0,
        }
    }
}

impl From<Arc<AtomicBool>> for Interrupt {
    fn from(flag: Arc<AtomicBool>) -> Self {
        Self::Flag(flag)
    }
}
