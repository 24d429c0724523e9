//! Functions for JavaScript that are called for every request. A method of a class looks for its object in a property of
//! `this`, checks its type and records that it is borrowed, which takes longer than many a request.

use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use napi::bindgen_prelude::{FromNapiValue, Unknown};
use napi::{Env, Result as NapiResult, check_status, sys};

use crate::borrowed::BorrowedBytes;
use crate::byte_array::OutputBytes;
use crate::errors::{Code, Result};

/// Work of a function, with what belongs to it.
pub trait DirectCall: Sized + 'static {
    /// Its arguments, which end with the call.
    type Arguments: Arguments;

    /// Does it.
    fn call(&self, arguments: Self::Arguments) -> i32;
}

/// Arguments of a function.
pub trait Arguments: Sized {
    /// Reads them, of a live environment whose values they are.
    ///
    /// # Safety
    /// As [`FromNapiValue::from_napi_value`].
    unsafe fn read(env: sys::napi_env, values: [sys::napi_value; COUNT]) -> NapiResult<Self>;
}

/// The most arguments.
const COUNT: usize = 2;

impl Arguments for (BorrowedBytes, OutputBytes) {
    unsafe fn read(env: sys::napi_env, [first, second]: [sys::napi_value; COUNT]) -> NapiResult<Self> {
        // SAFETY: as this function's.
        unsafe { Ok((BorrowedBytes::from_napi_value(env, first)?, OutputBytes::from_napi_value(env, second)?)) }
    }
}

impl Arguments for OutputBytes {
    unsafe fn read(env: sys::napi_env, [first, _]: [sys::napi_value; COUNT]) -> NapiResult<Self> {
        // SAFETY: as this function's.
        unsafe { Self::from_napi_value(env, first) }
    }
}

/// Makes a function. What belongs to it ends with it.
pub fn direct_function<T: DirectCall>(env: &Env, name: &str, call: T) -> Result<Unknown<'static>> {
    make(env.raw(), name, call).map_err(|error| napi::Error::new(Code::Panic, error.reason.clone()))
}

fn make<T: DirectCall>(env: sys::napi_env, name: &str, call: T) -> NapiResult<Unknown<'static>> {
    let data = Box::into_raw(Box::new(call)).cast::<c_void>();
    let mut function = ptr::null_mut();
    // SAFETY: the environment is live; `run` gets the data of the type that it is made for.
    let status = unsafe {
        sys::napi_create_function(env, name.as_ptr().cast(), name.len() as isize, Some(run::<T>), data, &mut function)
    };
    let finalizer = |status| {
        if status == sys::Status::napi_ok {
            // SAFETY: as above; `drop_data` gets the same data once nothing can call the function any more.
            unsafe {
                sys::napi_add_finalizer(env, function, data, Some(drop_data::<T>), ptr::null_mut(), ptr::null_mut())
            }
        } else {
            status
        }
    };
    let status = finalizer(status);
    if status != sys::Status::napi_ok {
        // SAFETY: nobody else has it.
        drop(unsafe { Box::from_raw(data.cast::<T>()) });
    }
    check_status!(status)?;
    // SAFETY: it is a value of the environment, and returned to it at once.
    unsafe { Unknown::from_napi_value(env, function) }
}

unsafe extern "C" fn drop_data<T>(_: sys::napi_env, data: *mut c_void, _: *mut c_void) {
    // SAFETY: the data of `make`, which the environment gives back once.
    drop(unsafe { Box::from_raw(data.cast::<T>()) });
}

unsafe extern "C" fn run<T: DirectCall>(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let (mut count, mut values, mut data) = (COUNT, [ptr::null_mut(); COUNT], ptr::null_mut());
    // SAFETY: environment and information are those of the running call.
    let status =
        unsafe { sys::napi_get_cb_info(env, info, &mut count, values.as_mut_ptr(), ptr::null_mut(), &mut data) };
    if status != sys::Status::napi_ok {
        return ptr::null_mut();
    }
    // SAFETY: values of the running call; those that were not given are undefined.
    let arguments = match unsafe { T::Arguments::read(env, values) } {
        Ok(arguments) => arguments,
        Err(error) => return throw(env, Code::InvalidArgument, &error.reason),
    };
    // SAFETY: the data of `make`, which lives as long as the function.
    let call = unsafe { &*data.cast::<T>() };
    let Ok(result) = catch_unwind(AssertUnwindSafe(|| call.call(arguments))) else {
        return throw(env, Code::Panic, "the core panicked");
    };
    let mut value = ptr::null_mut();
    // SAFETY: the environment is live.
    if unsafe { sys::napi_create_int32(env, result, &mut value) } != sys::Status::napi_ok {
        return ptr::null_mut();
    }
    value
}

fn throw(env: sys::napi_env, code: Code, reason: &str) -> sys::napi_value {
    // SAFETY: the environment is live, and the call ends with the error.
    unsafe { napi::JsError::from(napi::Error::new(code, reason.to_owned())).throw_into(env) };
    ptr::null_mut()
}
