//! `registerFastBridgeBtcTransaction` (RSKIP176): arguments and result (bridge.md §1.4, §4.4).

use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_primitives::abi::AbiValue;
use rhizome_primitives::contract::{ContractContext, ContractError};
use rhizome_primitives::rules::Rule;

use super::arguments::Arguments;
use crate::flyover::{self, Answer, Code, Deposit};
use crate::outcome::{Outcome, Stop, throw};
use crate::storage::Frame;

/// Every exception becomes a result code, and all changes up to it are saved.
pub(super) fn register(context: &ContractContext<'_>, frame: &mut Frame<'_>, arguments: Arguments<'_>) -> Outcome {
    let answer = match answer(context, frame, arguments) {
        Err(Stop::IllegalArgument(_) | Stop::Error(ContractError::Failed(_))) => Answer::Code(Code::Generic),
        answer => answer?,
    };
    Ok(Some(match answer {
        Answer::Wei(wei) => AbiValue::Int(wei),
        Answer::Code(code) => AbiValue::int(code as i64),
    }))
}

fn answer(context: &ContractContext<'_>, frame: &mut Frame<'_>, arguments: Arguments<'_>) -> Result<Answer, Stop> {
    let deposit = Deposit {
        raw: arguments.bytes(0),
        height: arguments.low_int(1),
        proof: arguments.bytes(2),
        arguments_hash: arguments.hash(3),
        user_refund: address(frame, arguments.bytes(4))?,
        contract: arguments.address(5),
        provider: address(frame, arguments.bytes(6))?,
        refund_to_provider: arguments.flag(7),
    };
    flyover::register(context, frame, &deposit)
}

fn address(frame: &Frame<'_>, bytes: &[u8]) -> Result<BitcoinAddress, Stop> {
    let address = BitcoinAddress::from_bytes(&frame.bridge().bitcoin, bytes, frame.active(Rule::Rskip284));
    address.or_else(|_| throw("the bytes are no address of the Bitcoin network"))
}
