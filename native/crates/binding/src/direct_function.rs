//! Functions for JavaScript that are called for every request. A method of a class looks for its object in a property of
//! `this`, checks its type and records that it is borrowed, which takes longer than many a request.

use std::ffi::{CStr, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;

use napi::bindgen_prelude::{FromNapiValue, Unknown};
use napi::{Env, Result as NapiResult, check_status, sys};

use crate::borrowed::BorrowedBytes;
use crate::byte_array::{HeldOutput, OutputBytes};
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
    unsafe fn read(env: sys::napi_env, value: sys::napi_value) -> NapiResult<Self>;
}

/// The most arguments.
const COUNT: usize = 1;

impl Arguments for BorrowedBytes {
    unsafe fn read(env: sys::napi_env, value: sys::napi_value) -> NapiResult<Self> {
        // SAFETY: as this function's.
        unsafe { Self::from_napi_value(env, value) }
    }
}

impl Arguments for () {
    unsafe fn read(_: sys::napi_env, _: sys::napi_value) -> NapiResult<Self> {
        Ok(())
    }
}

/// Makes a function from memory that it holds and writes to. What belongs to it ends with it.
pub fn direct_function<T: DirectCall>(
    env: &Env,
    name: &str,
    out: HeldOutput,
    call: impl FnOnce(OutputBytes) -> T,
) -> Result<Unknown<'static>> {
    let array = out.array();
    let function = make(env.raw(), name, call(out.memory())).and_then(|function| {
        hold(env.raw(), function, array)?;
        // SAFETY: it is a value of the environment, and returned to it at once.
        unsafe { Unknown::from_napi_value(env.raw(), function) }
    });
    function.map_err(|error| napi::Error::new(Code::Panic, error.reason.clone()))
}

/// Has a function hold an array as long as it is there: in a property that nobody can change.
fn hold(env: sys::napi_env, function: sys::napi_value, array: sys::napi_value) -> NapiResult<()> {
    let property = sys::napi_property_descriptor {
        utf8name: HELD.as_ptr(),
        name: ptr::null_mut(),
        method: None,
        getter: None,
        setter: None,
        value: array,
        attributes: sys::PropertyAttributes::default,
        data: ptr::null_mut(),
    };
    // SAFETY: the environment and its values are live.
    check_status!(unsafe { sys::napi_define_properties(env, function, 1, &property) })
}

/// The property of a function that has its output.
const HELD: &CStr = c"output";

fn make<T: DirectCall>(env: sys::napi_env, name: &str, call: T) -> NapiResult<sys::napi_value> {
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
    Ok(function)
}

unsafe extern "C" fn drop_data<T>(_: sys::napi_env, data: *mut c_void, _: *mut c_void) {
    // SAFETY: the data of `make`, which the environment gives back once.
    drop(unsafe { Box::from_raw(data.cast::<T>()) });
}

unsafe extern "C" fn run<T: DirectCall>(env: sys::napi_env, info: sys::napi_callback_info) -> sys::napi_value {
    let (mut count, mut value, mut data) = (COUNT, ptr::null_mut(), ptr::null_mut());
    // SAFETY: environment and information are those of the running call.
    let status = unsafe { sys::napi_get_cb_info(env, info, &mut count, &mut value, ptr::null_mut(), &mut data) };
    if status != sys::Status::napi_ok {
        return ptr::null_mut();
    }
    // SAFETY: a value of the running call; one that was not given is undefined.
    let arguments = match unsafe { T::Arguments::read(env, value) } {
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
