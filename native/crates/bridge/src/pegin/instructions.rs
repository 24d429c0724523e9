//! The instructions of a peg-in, in an output that starts with `RSKT` (RSKIP170, bridge.md §4.2.1).

use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_bitcoin::{Script, ScriptError, Transaction};
use rhizome_primitives::Address;
use rhizome_primitives::bridge_spec::BitcoinSpec;
use thiserror::Error;

/// The only version of the instructions.
pub const VERSION: i32 = 1;

const PREFIX: &[u8] = b"RSKT";
const PAY_TO_PUBLIC_KEY_HASH: u8 = 1;
const PAY_TO_SCRIPT_HASH: u8 = 2;

/// Instructions of version 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions {
    /// Receiver of the RBTC.
    pub destination: Address,
    /// Refund address if the peg-in is rejected.
    pub refund: Option<BitcoinAddress>,
}

/// The instructions are invalid, or one of the outputs does not parse as a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("the payload of the peg-in is invalid")]
pub struct InvalidPayload;

impl From<ScriptError> for InvalidPayload {
    fn from(_: ScriptError) -> Self {
        Self
    }
}

/// The instructions of a transaction; None without an output that starts with `RSKT`.
///
/// # Errors
/// [`InvalidPayload`] for more than one such output, another version or length, or any output that does not parse as a
/// script.
pub fn instructions(bitcoin: &BitcoinSpec, transaction: &Transaction) -> Result<Option<Instructions>, InvalidPayload> {
    let mut payload = None;
    for output in &transaction.outputs {
        let script = Script::parse(&output.script)?;
        if let Some(data) = payload_of(&script)
            && payload.replace(data).is_some()
        {
            return Err(InvalidPayload);
        }
    }
    payload.map(|data| read(bitcoin, data)).transpose()
}

fn payload_of<'a>(script: &Script<'a>) -> Option<&'a [u8]> {
    if !script.is_op_return() {
        return None;
    }
    script.chunks().get(1)?.data.filter(|data| data.starts_with(PREFIX))
}

fn read(bitcoin: &BitcoinSpec, payload: &[u8]) -> Result<Instructions, InvalidPayload> {
    let version = payload.get(PREFIX.len()).ok_or(InvalidPayload)?;
    if i32::from(*version) != VERSION {
        return Err(InvalidPayload);
    }
    let (destination, rest) = payload[PREFIX.len() + 1..].split_first_chunk::<20>().ok_or(InvalidPayload)?;
    let refund = match rest.split_first() {
        None => None,
        Some((kind, hash)) => {
            let hash = hash.try_into().map_err(|_| InvalidPayload)?;
            let version = match *kind {
                PAY_TO_PUBLIC_KEY_HASH => bitcoin.address_version,
                PAY_TO_SCRIPT_HASH => bitcoin.script_address_version,
                _ => return Err(InvalidPayload),
            };
            Some(BitcoinAddress { version, hash })
        }
    };
    Ok(Instructions { destination: Address::from(*destination), refund })
}
