//! Shared memory through which JavaScript stops a running call.

use std::sync::atomic::AtomicI32;

use napi::bindgen_prelude::Int32Array;
use napi_derive::napi;
use rhizome_primitives::interrupt::Interrupt;

use crate::errors::{Result, invalid};

/// Flags by which other threads stop a call: they set the element `slot` of `flags` to a nonzero value.
#[napi(object)]
pub struct InterruptSlot {
    /// A view of shared memory that lives until the process ends.
    pub flags: Int32Array,
    /// Element of this call.
    pub slot: u32,
}

impl InterruptSlot {
    /// The flag in the core's form. It must not outlive the call into the addon.
    pub fn to_interrupt(&self) -> Result<Interrupt> {
        interrupt_word(&self.flags, self.slot)
    }
}

/// The element `slot` of `flags` in the core's form. `flags` must be an argument of the running call, and the result
/// must not outlive the call.
pub fn interrupt_word(flags: &[i32], slot: u32) -> Result<Interrupt> {
    let flag = flags.get(slot as usize).ok_or_else(|| invalid("interrupt slot outside its table"))?;
    // SAFETY: the pointer is aligned and points into memory that the caller's typed array keeps alive for
    // the duration of this call, which is as long as the core holds the flag. Other threads write to it
    // with atomic operations only, and the core reads it atomically.
    let word = unsafe { AtomicI32::from_ptr(std::ptr::from_ref(flag).cast_mut()) };
    Ok(Interrupt::Word(word))
}
