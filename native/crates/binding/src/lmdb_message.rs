//! Keeps lmdb-js from writing past a buffer when a page of a store cannot be written.

use napi_derive::napi;

/// Shortens a message of lmdb-js, in the memory of this process, so that it fits into its buffer.
///
/// lmdb-js describes a failed page write with `sprintf` in 100 bytes of the heap (`mdb_page_flush` in its `mdb.c`, as of
/// version 3.5.6). The text ends with the lengths of three buffers, of which a write of one page sets only the first:
/// the others are what was on the stack, and where they are long, the text has up to 126 bytes. It then overwrites the
/// size of the next block of the heap, and the C library aborts the process at some later allocation ("corrupted size
/// vs. prev_size"), or does not notice. A full disk is enough for that. The format is cut off before these lengths, which
/// leaves 76 bytes at most; the arguments behind it are ignored.
///
/// To be called after lmdb-js was loaded, and again when it may have been unloaded meanwhile. Returns whether the
/// message is short now. That is false where no such message was found, or its page may not be written, and on other
/// systems than Linux.
#[napi(catch_unwind)]
pub fn shorten_lmdb_message() -> bool {
    system::shorten()
}

#[cfg(not(target_os = "linux"))]
mod system {
    pub(super) fn shorten() -> bool {
        false
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::ffi::CStr;
    use std::ptr;

    use parking_lot::Mutex;

    /// Part of the format that stays, and its end.
    const KEPT: &[u8] = b"Attempting to write page at position %u, size %u, blocks %u";
    const REST: &[u8] = b", buffer sizes %i %i %i\0";

    /// One thread at a time changes what may be done with the page.
    static LOCK: Mutex<()> = Mutex::new(());

    pub(super) fn shorten() -> bool {
        let _guard = LOCK.lock();
        let mut is_short = false;
        // SAFETY: `visit` takes the pointer for what it is, and no object is unloaded during the walk.
        unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut is_short).cast()) };
        is_short
    }

    /// Looks at one loaded object.
    unsafe extern "C" fn visit(
        object: *mut libc::dl_phdr_info,
        _size: libc::size_t,
        is_short: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: the loader passes a valid structure, whose segments are mapped as their headers say.
        unsafe {
            let object = &*object;
            if object.dlpi_name.is_null() || !is_lmdb(CStr::from_ptr(object.dlpi_name).to_bytes()) {
                return 0;
            }
            for index in 0..usize::from(object.dlpi_phnum) {
                let segment = &*object.dlpi_phdr.add(index);
                let is_constant = segment.p_flags & (libc::PF_R | libc::PF_W) == libc::PF_R;
                if segment.p_type != libc::PT_LOAD || !is_constant {
                    continue;
                }
                let (Ok(start), Ok(length)) =
                    (usize::try_from(object.dlpi_addr + segment.p_vaddr), usize::try_from(segment.p_memsz))
                else {
                    continue;
                };
                let is_executable = segment.p_flags & libc::PF_X != 0;
                if shorten_in(ptr::with_exposed_provenance_mut(start), length, is_executable) {
                    *is_short.cast::<bool>() = true;
                }
            }
            0
        }
    }

    /// Built or prebuilt, its addon lies in a folder with this name.
    fn is_lmdb(path: &[u8]) -> bool {
        path.ends_with(b".node") && path.windows(4).any(|name| name == b"lmdb")
    }

    /// # Safety
    /// The segment is mapped, and readable.
    unsafe fn shorten_in(start: *mut u8, length: usize, is_executable: bool) -> bool {
        // The constants above are in a segment of this addon, whose folder may have any name.
        if (start.addr()..start.addr() + length).contains(&KEPT.as_ptr().addr()) {
            return false;
        }
        // SAFETY: both ranges are readable; what is found lies within the segment.
        unsafe {
            let found = libc::memmem(start.cast(), length, KEPT.as_ptr().cast(), KEPT.len()).cast::<u8>();
            if found.is_null() {
                return false;
            }
            let end = found.add(KEPT.len());
            let left = start.addr() + length - end.addr();
            if left > 0 && end.read_volatile() == 0 {
                return true;
            }
            let is_known = left >= REST.len() && libc::memcmp(end.cast(), REST.as_ptr().cast(), REST.len()) == 0;
            is_known && end_text(end, is_executable)
        }
    }

    /// Writes a zero into a page of constants.
    ///
    /// # Safety
    /// The page is mapped, and nobody else changes what may be done with it.
    unsafe fn end_text(end: *mut u8, is_executable: bool) -> bool {
        // SAFETY: the page stays readable, and executable where it was, for all who use it meanwhile.
        unsafe {
            let Ok(size) = usize::try_from(libc::sysconf(libc::_SC_PAGESIZE)) else { return false };
            let page = end.map_addr(|address| address & !(size - 1)).cast();
            let flags = libc::PROT_READ | if is_executable { libc::PROT_EXEC } else { 0 };
            if libc::mprotect(page, size, flags | libc::PROT_WRITE) != 0 {
                return false;
            }
            end.write_volatile(0);
            libc::mprotect(page, size, flags);
            true
        }
    }
}
