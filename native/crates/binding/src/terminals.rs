//! The terminal of a process that ends.

use napi_derive::napi;

/// Puts the null device in place of each standard descriptor that is a terminal, or was one that is gone. Node.js
/// restores the settings of its terminals when a process ends and aborts where that fails, as it does when the window
/// was closed. To be called when nothing is written any more.
#[napi(catch_unwind)]
pub fn release_terminals() {
    #[cfg(unix)]
    unix::release();
}

#[cfg(unix)]
mod unix {
    use std::io;

    pub(super) fn release() {
        for descriptor in [libc::STDIN_FILENO, libc::STDOUT_FILENO, libc::STDERR_FILENO] {
            if is_terminal(descriptor) {
                replace(descriptor);
            }
        }
    }

    fn is_terminal(descriptor: libc::c_int) -> bool {
        // SAFETY: it takes any number.
        let found = unsafe { libc::isatty(descriptor) } == 1;
        // What a terminal that was hung up answers to everything.
        found || io::Error::last_os_error().raw_os_error() == Some(libc::EIO)
    }

    fn replace(descriptor: libc::c_int) {
        // SAFETY: the path is a C string; the new descriptor is of this function alone.
        unsafe {
            let null = libc::open(c"/dev/null".as_ptr(), libc::O_RDWR | libc::O_CLOEXEC);
            if null >= 0 {
                libc::dup2(null, descriptor);
                libc::close(null);
            }
        }
    }
}
