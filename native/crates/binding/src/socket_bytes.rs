//! What the kernel has received on the sockets of uWebSockets.js. The library says neither what it holds of an
//! unfinished message nor which descriptor a socket has.

use napi::bindgen_prelude::{Float64Array, Int32Array, Object};
use napi_derive::napi;

use crate::byte_array::Uint8Array;

/// The descriptor of a socket of the library; null where it cannot be known for sure.
///
/// The library keeps a pointer to its socket in the first internal field of the object, and libuv's descriptor behind
/// the first pointer of that (`us_poll_t` of uSockets). The result is compared with what the kernel says of the peer.
///
/// `socket` is a `WebSocket` of the library that is open, `address` its `getRemoteAddress()`.
#[napi(catch_unwind)]
pub fn socket_descriptor(socket: Object, address: Uint8Array) -> Option<i32> {
    #[cfg(target_os = "linux")]
    return linux::descriptor(&socket, &address);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (socket, address);
        None
    }
}

/// Bytes that were received and read since each connection was made; -1 for a descriptor that is no TCP socket.
#[napi(catch_unwind)]
pub fn received_bytes(descriptors: Int32Array) -> Float64Array {
    Float64Array::new(descriptors.iter().map(|&descriptor| received(descriptor)).collect())
}

/// Bounds what the kernel keeps of a connection until it is read, which is what one turn of the event loop can bring;
/// whether it did. The kernel adds as much for its own use.
#[napi(catch_unwind)]
pub fn limit_receive_buffer(descriptor: i32, bytes: i32) -> bool {
    #[cfg(target_os = "linux")]
    return linux::limit_receive_buffer(descriptor, bytes);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (descriptor, bytes);
        false
    }
}

/// Stops or goes on reading from a socket of the library; whether it did. What the kernel has of it waits there. The
/// library itself goes on reading when it begins or ends to wait until it can write.
///
/// `socket` is a `WebSocket` of the library that is open, `descriptor` what [`socket_descriptor`] has said of it, and
/// `is_writing` whether the library waits until it can write (`getBufferedAmount()` is not 0).
#[napi(catch_unwind)]
pub fn set_reading(socket: Object, descriptor: i32, is_reading: bool, is_writing: bool) -> bool {
    #[cfg(target_os = "linux")]
    return linux::set_reading(&socket, descriptor, is_reading, is_writing).is_some();
    #[cfg(not(target_os = "linux"))]
    {
        let _ = (socket, descriptor, is_reading, is_writing);
        false
    }
}

fn received(descriptor: i32) -> f64 {
    #[cfg(target_os = "linux")]
    #[allow(clippy::cast_precision_loss, reason = "bytes of a connection are far below 2^53")]
    return linux::received(descriptor).map_or(-1.0, |bytes| bytes as f64);
    #[cfg(not(target_os = "linux"))]
    {
        let _ = descriptor;
        -1.0
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{c_int, c_void};
    use std::mem::{size_of, zeroed};
    use std::sync::OnceLock;

    use napi::JsValue;
    use napi::bindgen_prelude::Object;

    /// `v8::Object::SlowGetAlignedPointerFromInternalField(int)`, which Node.js 20 to 25 export to addons.
    const READ_FIELD: &std::ffi::CStr = c"_ZN2v86Object38SlowGetAlignedPointerFromInternalFieldEi";
    /// Position of `fd` in `us_poll_t` of uSockets on libuv: behind the pointer to libuv's handle.
    const DESCRIPTOR_AT: usize = size_of::<*const c_void>();
    /// Position of `tcpi_bytes_received` in the kernel's `tcp_info` (from Linux 4.1 on), which libc's structure lacks.
    const BYTES_RECEIVED_AT: usize = 128;
    const INFO_BYTES: usize = BYTES_RECEIVED_AT + size_of::<u64>();

    type ReadField = unsafe extern "C" fn(object: *const c_void, index: c_int) -> *const u8;

    fn read_field() -> Option<ReadField> {
        static FOUND: OnceLock<Option<ReadField>> = OnceLock::new();
        *FOUND.get_or_init(|| {
            // SAFETY: the name is a C string; a symbol of that name has that signature.
            unsafe {
                let symbol = libc::dlsym(libc::RTLD_DEFAULT, READ_FIELD.as_ptr());
                (!symbol.is_null()).then(|| std::mem::transmute::<*mut c_void, ReadField>(symbol))
            }
        })
    }

    /// `UV_HANDLE`, `UV_POLL` of `uv_handle_type`, `UV_READABLE` and `UV_WRITABLE` of `uv_poll_event` (libuv 1).
    const UV_HANDLE: c_int = 5;
    const UV_POLL: c_int = 8;
    const UV_READABLE: c_int = 1;
    const UV_WRITABLE: c_int = 2;

    type HandleSize = unsafe extern "C" fn(kind: c_int) -> usize;
    type HandleType = unsafe extern "C" fn(handle: *const c_void) -> c_int;
    type PollStart = unsafe extern "C" fn(handle: *mut c_void, events: c_int, callback: *const c_void) -> c_int;
    type PollStop = unsafe extern "C" fn(handle: *mut c_void) -> c_int;

    /// Functions of libuv, which Node.js exports.
    struct Libuv {
        handle_size: HandleSize,
        handle_type: HandleType,
        poll_start: PollStart,
        poll_stop: PollStop,
    }

    fn libuv() -> Option<&'static Libuv> {
        static FOUND: OnceLock<Option<Libuv>> = OnceLock::new();
        let find = |name: &std::ffi::CStr| {
            // SAFETY: the name is a C string.
            let symbol = unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) };
            (!symbol.is_null()).then_some(symbol)
        };
        FOUND
            .get_or_init(|| {
                // SAFETY: symbols of these names have these signatures in libuv 1.
                unsafe {
                    Some(Libuv {
                        handle_size: std::mem::transmute::<*mut c_void, HandleSize>(find(c"uv_handle_size")?),
                        handle_type: std::mem::transmute::<*mut c_void, HandleType>(find(c"uv_handle_get_type")?),
                        poll_start: std::mem::transmute::<*mut c_void, PollStart>(find(c"uv_poll_start")?),
                        poll_stop: std::mem::transmute::<*mut c_void, PollStop>(find(c"uv_poll_stop")?),
                    })
                }
            })
            .as_ref()
    }

    pub(super) fn set_reading(socket: &Object, descriptor: c_int, is_reading: bool, is_writing: bool) -> Option<()> {
        let (read_field, libuv) = (read_field()?, libuv()?);
        // SAFETY: as for `descriptor`; the socket begins with its `us_poll_t`, and that with a pointer to a `uv_poll_t`,
        // which is looked at as a handle first. Its callback follows the fields that all handles have.
        unsafe {
            let pointer = read_field(socket.raw().cast::<c_void>(), 0);
            if pointer.is_null() || pointer.add(DESCRIPTOR_AT).cast::<c_int>().read_unaligned() != descriptor {
                return None;
            }
            let handle = pointer.cast::<*mut c_void>().read_unaligned();
            if handle.is_null() || (libuv.handle_type)(handle) != UV_POLL {
                return None;
            }
            let events = if is_reading { UV_READABLE } else { 0 } | if is_writing { UV_WRITABLE } else { 0 };
            let result = if events == 0 {
                (libuv.poll_stop)(handle)
            } else {
                let callback = handle.add((libuv.handle_size)(UV_HANDLE)).cast::<*const c_void>().read();
                (libuv.poll_start)(handle, events, callback)
            };
            (result == 0).then_some(())
        }
    }

    pub(super) fn descriptor(socket: &Object, address: &[u8]) -> Option<i32> {
        let read_field = read_field()?;
        // SAFETY: a value of Node-API is the address of the handle's slot, which is what V8's methods take as `this`.
        // The caller gives an open socket of the library, whose field has its `us_socket_t`.
        let descriptor = unsafe {
            let pointer = read_field(socket.raw().cast::<c_void>(), 0);
            if pointer.is_null() {
                return None;
            }
            pointer.add(DESCRIPTOR_AT).cast::<c_int>().read_unaligned()
        };
        (descriptor >= 0 && has_peer(descriptor, address)).then_some(descriptor)
    }

    /// True when a descriptor is a socket whose peer has an address, 4 or 16 bytes.
    fn has_peer(descriptor: c_int, address: &[u8]) -> bool {
        // SAFETY: all bytes of the storage may be zero; its length is given.
        let (storage, result) = unsafe {
            let mut storage: libc::sockaddr_storage = zeroed();
            let mut length = size_of::<libc::sockaddr_storage>() as libc::socklen_t;
            let result = libc::getpeername(descriptor, (&raw mut storage).cast(), &raw mut length);
            (storage, result)
        };
        if result != 0 {
            return false;
        }
        // SAFETY: the family says which structure it is.
        unsafe {
            match c_int::from(storage.ss_family) {
                libc::AF_INET => {
                    (*(&raw const storage).cast::<libc::sockaddr_in>()).sin_addr.s_addr.to_ne_bytes() == address
                }
                libc::AF_INET6 => (*(&raw const storage).cast::<libc::sockaddr_in6>()).sin6_addr.s6_addr == address,
                _ => false,
            }
        }
    }

    pub(super) fn limit_receive_buffer(descriptor: c_int, bytes: c_int) -> bool {
        // SAFETY: the option is an int, whose length is given.
        let result = unsafe {
            libc::setsockopt(
                descriptor,
                libc::SOL_SOCKET,
                libc::SO_RCVBUF,
                (&raw const bytes).cast(),
                size_of::<c_int>() as libc::socklen_t,
            )
        };
        result == 0
    }

    pub(super) fn received(descriptor: c_int) -> Option<u64> {
        let mut info = [0_u8; INFO_BYTES];
        let mut length = INFO_BYTES as libc::socklen_t;
        let mut queued: c_int = 0;
        // SAFETY: both write no more than what they are given.
        let results = unsafe {
            [
                libc::getsockopt(
                    descriptor,
                    libc::IPPROTO_TCP,
                    libc::TCP_INFO,
                    info.as_mut_ptr().cast(),
                    &raw mut length,
                ),
                libc::ioctl(descriptor, libc::FIONREAD, &raw mut queued),
            ]
        };
        if results != [0, 0] || (length as usize) < INFO_BYTES {
            return None;
        }
        let bytes = info[BYTES_RECEIVED_AT..].try_into().ok()?;
        Some(u64::from_ne_bytes(bytes).saturating_sub(queued.try_into().ok()?))
    }
}
