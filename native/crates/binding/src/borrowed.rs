//! Typed arrays that are read in place during one call into the addon.

use std::ops::Deref;
use std::ptr;

use napi::bindgen_prelude::{FromNapiValue, TypeName, ValidateNapiValue};
use napi::{Error, Result, Status, ValueType, check_status, sys};

/// An element of a typed array.
pub trait Element: Copy {
    /// The N-API constant of the array type.
    const KIND: i32;
    /// Name of that array type.
    const NAME: &'static str;
}

impl Element for u8 {
    const KIND: i32 = sys::TypedarrayType::uint8_array;
    const NAME: &'static str = "Uint8Array";
}

impl Element for i32 {
    const KIND: i32 = sys::TypedarrayType::int32_array;
    const NAME: &'static str = "Int32Array";
}

/// Elements of an argument, read in place. It must not be kept beyond the call: only arguments are converted to it, and
/// they end with the call.
pub struct Borrowed<T: Element> {
    data: *const T,
    length: usize,
}

impl<T: Element> Deref for Borrowed<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: the array has `length` elements there; it is an argument of the running call, which keeps it
        // alive, and no JavaScript of this thread runs meanwhile.
        unsafe { std::slice::from_raw_parts(self.data, self.length) }
    }
}

impl<T: Element> TypeName for Borrowed<T> {
    fn type_name() -> &'static str {
        T::NAME
    }

    fn value_type() -> ValueType {
        ValueType::Object
    }
}

impl<T: Element> ValidateNapiValue for Borrowed<T> {}

impl<T: Element> FromNapiValue for Borrowed<T> {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        // SAFETY: as this function's.
        let (data, length) = unsafe { elements_of::<T>(env, value) }?;
        Ok(Self { data, length })
    }
}

/// Address and number of an array's elements; the address of an empty array is meaningless. Safe for a live environment
/// and a value of it.
pub(crate) unsafe fn elements_of<T: Element>(env: sys::napi_env, value: sys::napi_value) -> Result<(*mut T, usize)> {
    let (mut kind, mut length, mut data) = (0, 0, ptr::null_mut());
    // SAFETY: the caller gives a live environment and a value of it, which the call itself looks at; null is allowed
    // for results that are not needed.
    let status = unsafe {
        sys::napi_get_typedarray_info(env, value, &mut kind, &mut length, &mut data, ptr::null_mut(), ptr::null_mut())
    };
    let is_typed_array = is_of_type(status)?;
    if !is_typed_array || kind != T::KIND {
        return Err(Error::new(Status::InvalidArg, format!("Expected a {} value", T::NAME)));
    }
    Ok((data.cast::<T>(), if data.is_null() { 0 } else { length }))
}

/// False where a call that asks for a value of one type got another one. To ask for the type first would be one call more
/// for each argument of each request.
fn is_of_type(status: sys::napi_status) -> Result<bool> {
    if status == sys::Status::napi_invalid_arg {
        return Ok(false);
    }
    check_status!(status)?;
    Ok(true)
}

/// Bytes of an argument that is a byte array or an ArrayBuffer. Like [`Borrowed`], it must not be kept.
pub struct BorrowedBytes(Borrowed<u8>);

impl Deref for BorrowedBytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl TypeName for BorrowedBytes {
    fn type_name() -> &'static str {
        "ArrayBuffer | Uint8Array"
    }

    fn value_type() -> ValueType {
        ValueType::Object
    }
}

impl ValidateNapiValue for BorrowedBytes {}

impl FromNapiValue for BorrowedBytes {
    unsafe fn from_napi_value(env: sys::napi_env, value: sys::napi_value) -> Result<Self> {
        let (mut data, mut length) = (ptr::null_mut(), 0);
        // SAFETY: the caller gives a live environment and a value of it, which the call itself looks at.
        let status = unsafe { sys::napi_get_arraybuffer_info(env, value, &mut data, &mut length) };
        if !is_of_type(status)? {
            // SAFETY: as this function's.
            return unsafe { Borrowed::from_napi_value(env, value) }.map(Self);
        }
        Ok(Self(Borrowed { data: data.cast::<u8>(), length: if data.is_null() { 0 } else { length } }))
    }
}
