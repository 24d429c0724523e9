//! How the system schedules the calling thread.

use napi_derive::napi;

/// Asks for slices of this length for the calling thread, nanoseconds, and for the usual ones with 0: what waits for a
/// processor with a short slice is let in before the slice of what runs there is over (`sched_setattr(2)`, Linux 6.12).
/// Threads that it starts inherit it. Returns whether the system knows such a thing.
#[napi]
pub fn set_thread_slice(nanoseconds: u32) -> bool {
    set_slice(u64::from(nanoseconds))
}

#[cfg(target_os = "linux")]
fn set_slice(nanoseconds: u64) -> bool {
    const CALLING_THREAD: libc::c_long = 0;
    const NO_FLAGS: libc::c_long = 0;
    let size = size_of::<libc::sched_attr>();
    // SAFETY: all fields are integers, for which zero is a value.
    let mut attributes: libc::sched_attr = unsafe { std::mem::zeroed() };
    // SAFETY: the kernel writes at most `size` bytes to the structure, which lives until the call returns.
    let read = unsafe { libc::syscall(libc::SYS_sched_getattr, CALLING_THREAD, &raw mut attributes, size, NO_FLAGS) };
    if read != 0 {
        return false;
    }
    attributes.sched_runtime = nanoseconds;
    // SAFETY: the kernel reads the structure, whose field `size` it has set itself.
    unsafe { libc::syscall(libc::SYS_sched_setattr, CALLING_THREAD, &raw const attributes, NO_FLAGS) == 0 }
}

#[cfg(not(target_os = "linux"))]
fn set_slice(_nanoseconds: u64) -> bool {
    false
}
