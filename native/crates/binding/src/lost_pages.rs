//! The message of a process that reads a page of a mapped file which is gone.

use napi_derive::napi;

/// After this call, a read of a mapped page that is gone, because its file was truncated or the disk fails, writes one
/// line to standard error and ends the process with an exit code. Otherwise the system would end it with SIGBUS and
/// without a message. It changes how the whole process handles that signal, so it is meant for programs, not for
/// libraries. Only the first call has an effect.
#[napi(catch_unwind)]
pub fn report_lost_pages(message: String, exit_code: i32) {
    #[cfg(unix)]
    unix::install(message, exit_code);
    #[cfg(not(unix))]
    let _ = (message, exit_code);
}

#[cfg(unix)]
mod unix {
    use std::mem;
    use std::ptr;
    use std::sync::OnceLock;

    /// The line and the exit code.
    static MESSAGE: OnceLock<(Vec<u8>, i32)> = OnceLock::new();

    pub(super) fn install(message: String, exit_code: i32) {
        let mut line = message.into_bytes();
        line.push(b'\n');
        if MESSAGE.set((line, exit_code)).is_err() {
            return;
        }
        // SAFETY: zero is a valid value of the structure, whose fields are set before it is used; the handler only
        // calls functions that are allowed in one.
        unsafe {
            let mut action: libc::sigaction = mem::zeroed();
            let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = end;
            action.sa_sigaction = handler as libc::sighandler_t;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_RESETHAND;
            libc::sigemptyset(&raw mut action.sa_mask);
            libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut());
        }
    }

    extern "C" fn end(signal: libc::c_int, info: *mut libc::siginfo_t, _context: *mut libc::c_void) {
        // SAFETY: the system passes a valid structure; write, raise and _exit may be called in a handler
        // (signal-safety(7)), and a OnceLock that is set is read without a lock.
        unsafe {
            // The signal was sent by a process: the default action follows, because this handler is already removed.
            if info.is_null() || (*info).si_code <= 0 {
                libc::raise(signal);
                return;
            }
            let Some((line, exit_code)) = MESSAGE.get() else { libc::_exit(1) };
            libc::write(libc::STDERR_FILENO, line.as_ptr().cast(), line.len());
            libc::_exit(*exit_code)
        }
    }
}
