//! The clock of leases.

use napi_derive::napi;

/// Linux counts the time in which the machine sleeps on a clock of its own; other systems do so on the monotonic one.
#[cfg(any(target_os = "linux", target_os = "android"))]
const CLOCK: libc::clockid_t = libc::CLOCK_BOOTTIME;
#[cfg(not(any(target_os = "linux", target_os = "android")))]
const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC;

/// Milliseconds of the boot clock: no one sets it, and it goes on while the machine sleeps. A system that has none gives
/// infinity, with which every deadline is over.
#[napi]
pub fn boot_clock() -> f64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is valid for the write.
    if unsafe { libc::clock_gettime(CLOCK, &raw mut time) } != 0 {
        return f64::INFINITY;
    }
    #[allow(clippy::cast_precision_loss, reason = "seconds since the start of a machine are far below 2^53")]
    let milliseconds = time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6;
    milliseconds
}
