//! Byte arrays that are copied between Rust and JavaScript. The library's own types of these names keep a reference to
//! each array, or memory for it, which the garbage collector has to release; for the few bytes of an address or a
//! balance that costs ten times as much as the copy. The names are the same because the TypeScript declarations are
//! generated from them.

use std::ffi::c_void;
use std::ops::Deref;
use std::ptr;

use napi::bindgen_prelude::{FromNapiValue, ToNapiValue, TypeName, ValidateNapiValue};
use napi::{Result, ValueType, check_status, sys};

use crate::borrowed::elements_of;

/// Longer arrays are passed to JavaScript without a copy.
const MAX_COPY_BYTES: usize = 16 * 1024;

/// Bytes that are copied in both directions.
pub struct ByteArray(Vec<u8>);

/// Argument from JavaScript.
pub type Uint8Array = ByteArray;

/// Result for JavaScript.
pub type Buffer = ByteArray;

impl From<Vec<u8>> for ByteArray {
    fn from(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }
}

impl Deref for ByteArray {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl AsRef<[u8]> for ByteArray {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl TypeName for ByteArray {
    fn type_name() -> &'static str {
        "Uint8Array"
    }

    fn value_type() -> ValueType {
        ValueType::Object
    }
}

impl ValidateNapiValue for ByteArray {}

impl FromNapiValue for ByteArray {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        // SAFETY: as this function's.
        let (data, length) = unsafe { elements_of::<u8>(env, value) }?;
        if length == 0 {
            return Ok(Self(Vec::new()));
        }
        // SAFETY: the array has `length` bytes there, and no JavaScript runs before they are copied.
        Ok(Self(unsafe { std::slice::from_raw_parts(data, length) }.to_vec()))
    }
}

/// Memory of JavaScript that a call writes to. It must only be used within a call that has it as argument, or of a function
/// that holds it ([`HeldOutput`]).
pub struct OutputBytes {
    data: *mut u8,
    length: usize,
}

impl OutputBytes {
    /// The bytes. No other buffer over the same memory may be in use.
    pub fn bytes(&mut self) -> &mut [u8] {
        if self.length == 0 {
            return &mut [];
        }
        // SAFETY: the array is an argument of the running call, or held by the function that is called, so it is alive,
        // and JavaScript, which alone could detach its memory, does not run.
        unsafe { std::slice::from_raw_parts_mut(self.data, self.length) }
    }
}

impl TypeName for OutputBytes {
    fn type_name() -> &'static str {
        "Uint8Array"
    }

    fn value_type() -> ValueType {
        ValueType::Object
    }
}

impl ValidateNapiValue for OutputBytes {}

impl FromNapiValue for OutputBytes {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        // SAFETY: as this function's.
        let (data, length) = unsafe { elements_of::<u8>(env, value) }?;
        Ok(Self { data, length })
    }
}

/// Memory that a function writes to whenever it is called: what it is need not be asked each time. Whoever gives it must
/// not transfer it to another thread.
pub struct HeldOutput {
    memory: OutputBytes,
    array: sys::napi_value,
}

impl HeldOutput {
    /// The memory, for the function that holds the array.
    pub fn memory(self) -> OutputBytes {
        self.memory
    }

    /// The array, within the call that it is an argument of.
    pub fn array(&self) -> sys::napi_value {
        self.array
    }
}

impl TypeName for HeldOutput {
    fn type_name() -> &'static str {
        "Uint8Array"
    }

    fn value_type() -> ValueType {
        ValueType::Object
    }
}

impl ValidateNapiValue for HeldOutput {}

impl FromNapiValue for HeldOutput {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        // SAFETY: as this function's.
        Ok(Self { memory: unsafe { OutputBytes::from_napi_value(env, value) }?, array: value })
    }
}

impl ToNapiValue for ByteArray {
    unsafe fn to_napi_value(env: sys::napi_env, Self(bytes): Self) -> Result<sys::napi_value> {
        if bytes.len() > MAX_COPY_BYTES {
            // SAFETY: as this function's.
            return unsafe { napi::bindgen_prelude::Buffer::to_napi_value(env, bytes.into()) };
        }
        let mut value = ptr::null_mut();
        // SAFETY: the environment is live, and the bytes are copied before the call ends.
        check_status!(unsafe {
            sys::napi_create_buffer_copy(env, bytes.len(), bytes.as_ptr().cast::<c_void>(), ptr::null_mut(), &mut value)
        })?;
        Ok(value)
    }
}
