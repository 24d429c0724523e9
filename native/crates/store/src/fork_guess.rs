//! Reads ahead on a fork: an execution runs on guesses first, so that what it wants is fetched at once.
//!
//! While a thread guesses, what is not here is asked for and taken as absent, and nobody waits. What such a run returns
//! is thrown away; when its wishes were answered it runs again, until it guesses nothing: then its result is the true
//! one. Reads that do not depend on each other so cost one wait together instead of one each.

use std::cell::RefCell;
use std::collections::HashSet;

use crate::fork::Wanted;

/// Runs on guesses before the execution waits for one read after another.
pub(crate) const MAX_ROUNDS: usize = 16;
/// Guesses after which a run ends: what it does on them is ever further from the truth.
const MAX_GUESSES: usize = 512;

thread_local! {
    /// The guesses of this thread in the run that is under way; None where it does not guess.
    static GUESSES: RefCell<Option<HashSet<Wanted>>> = const { RefCell::new(None) };
}

/// True while the calling thread guesses.
pub(crate) fn is_guessing() -> bool {
    GUESSES.with_borrow(Option::is_some)
}

/// True when the run that is under way took this as absent without knowing.
pub(crate) fn was_guessed(wanted: &Wanted) -> bool {
    GUESSES.with_borrow(|guesses| guesses.as_ref().is_some_and(|all| all.contains(wanted)))
}

/// Records a guess. False when the run has made enough of them.
pub(crate) fn record(wanted: Wanted) -> bool {
    GUESSES.with_borrow_mut(|guesses| {
        let Some(all) = guesses else { return false };
        all.insert(wanted);
        all.len() < MAX_GUESSES
    })
}

/// Runs once on guesses. Returns what came out, and what was guessed.
pub(crate) fn run_guessing<T>(run: impl FnOnce() -> T) -> (T, HashSet<Wanted>) {
    /// Ends guessing also when the run panics.
    struct End;
    impl Drop for End {
        fn drop(&mut self) {
            GUESSES.set(None);
        }
    }
    GUESSES.set(Some(HashSet::new()));
    let end = End;
    let result = run();
    let guessed = GUESSES.take().unwrap_or_default();
    drop(end);
    (result, guessed)
}
