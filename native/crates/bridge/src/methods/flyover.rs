//! `registerFastBridgeBtcTransaction` (RSKIP176), as far as it refuses (bridge.md §4.4).

use alloy_primitives::keccak256;
use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;
use rhizome_primitives::{B256, hex};

use super::pegin::{is_confirmed, transaction_hash};
use super::{Arguments, Outcome, Stop};
use crate::storage::{Frame, keys};

/// Any error at all.
const GENERIC_ERROR: i64 = -900;
const NOT_A_CONTRACT: i64 = -300;
const WRONG_SENDER: i64 = -301;
const ALREADY_PROCESSED: i64 = -302;
const INVALID: i64 = -303;
/// Version byte and hash.
const ADDRESS_BYTES: usize = 21;

pub(super) fn register(context: &ContractContext<'_>, frame: &mut Frame<'_>, arguments: Arguments<'_>) -> Outcome {
    let addresses = (address(frame, arguments.bytes(4)), address(frame, arguments.bytes(6)));
    let (Some(refund), Some(provider)) = addresses else { return code(GENERIC_ERROR) };
    if !context.from_contract {
        return code(NOT_A_CONTRACT);
    }
    if context.sender != arguments.address(5) {
        return code(WRONG_SENDER);
    }
    let transaction = transaction_hash(arguments.bytes(0));
    let derivation = keccak256([arguments.hash(3).as_slice(), &refund, context.sender.as_slice(), &provider].concat());
    if is_used(frame, transaction, derivation)? {
        return code(ALREADY_PROCESSED);
    }
    if !is_confirmed(frame, arguments.low_int(1))? {
        return code(INVALID);
    }
    Err(Stop::Error(ContractError::Unsupported("registerFastBridgeBtcTransaction".into())))
}

fn code(code: i64) -> Outcome {
    Ok(Some(AbiValue::int(code)))
}

fn is_used(frame: &mut Frame<'_>, transaction: B256, derivation: B256) -> Result<bool, Stop> {
    let id = format!("{}{}", hex::encode(transaction), hex::encode(derivation));
    Ok(frame.read(keys::FLYOVER_USED.key(&id))?.is_some_and(|mark| mark[..] == [1]))
}

/// Version and hash of an address of the network, as they enter the derivation hash. Before RSKIP284 the
/// version is a signed byte that must not be negative, and more bytes may follow.
fn address(frame: &Frame<'_>, bytes: &[u8]) -> Option<Vec<u8>> {
    let exact = frame.active(Rule::Rskip284);
    let address = bytes.get(..ADDRESS_BYTES).filter(|_| !exact || bytes.len() == ADDRESS_BYTES)?;
    let bitcoin = &frame.bridge().bitcoin;
    let version = address[0];
    let known = version == bitcoin.address_version || version == bitcoin.script_address_version;
    (known && (exact || version < 0x80)).then(|| address.to_vec())
}
