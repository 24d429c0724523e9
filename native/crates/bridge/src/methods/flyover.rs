//! `registerFastBridgeBtcTransaction` (RSKIP176), as far as it refuses the caller (bridge.md §4.4).

use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;

use super::{Arguments, Outcome, Stop};
use crate::storage::Frame;

/// Any error at all.
const GENERIC_ERROR: i64 = -900;
const NOT_A_CONTRACT: i64 = -300;
const WRONG_SENDER: i64 = -301;
/// Version byte and hash.
const ADDRESS_BYTES: usize = 21;

pub(super) fn register(context: &ContractContext<'_>, frame: &mut Frame<'_>, arguments: Arguments<'_>) -> Outcome {
    let code = if !is_address(frame, arguments.bytes(4)) || !is_address(frame, arguments.bytes(6)) {
        GENERIC_ERROR
    } else if !context.from_contract {
        NOT_A_CONTRACT
    } else if context.sender != arguments.address(5) {
        WRONG_SENDER
    } else {
        return Err(Stop::Error(ContractError::Unsupported("registerFastBridgeBtcTransaction".into())));
    };
    Ok(Some(AbiValue::int(code)))
}

/// Whether bytes are version and hash of an address of the network. Before RSKIP284 the version is a
/// signed byte, and more bytes may follow.
fn is_address(frame: &Frame<'_>, bytes: &[u8]) -> bool {
    let exact = frame.active(Rule::Rskip284);
    let long_enough = if exact { bytes.len() == ADDRESS_BYTES } else { bytes.len() >= ADDRESS_BYTES };
    let bitcoin = &frame.bridge().bitcoin;
    match bytes.first() {
        Some(&version) if long_enough => {
            (version == bitcoin.address_version || version == bitcoin.script_address_version)
                && (exact || version < 0x80)
        }
        _ => false,
    }
}
