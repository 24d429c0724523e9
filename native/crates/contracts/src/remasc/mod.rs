//! REMASC, `0x…01000008`: pays the fees of a block to its miners once it has matured (consensus.md §8).

mod address;
mod federation;
mod payment;
mod rewards;
mod siblings;
mod storage;

use rhizome_primitives::abi::{AbiValue, encode};
use rhizome_primitives::contract::{ContractContext, ContractError, ContractState};
use rhizome_primitives::{Bytes, rlp};

use crate::native::failed;
use storage::Cells;

/// `processMinersFees()`
const PROCESS_MINERS_FEES: [u8; 4] = [0xbe, 0x02, 0x1a, 0x58];
/// `getStateForDebugging()`
const GET_STATE_FOR_DEBUGGING: [u8; 4] = [0x0d, 0x0c, 0xee, 0x93];

/// Runs a method. Empty call data mean `processMinersFees()`, which only the REMASC transaction itself may call. Every
/// method that succeeds writes the contract's cells.
pub(crate) fn run(
    context: &ContractContext,
    state: &mut dyn ContractState,
    data: Option<&[u8]>,
) -> Result<Option<Bytes>, ContractError> {
    let selector = match data {
        None | Some([]) => PROCESS_MINERS_FEES,
        Some(data) => data.try_into().map_err(|_| failed("a call of REMASC consists of a selector"))?,
    };
    let mut cells = Cells::default();
    let output = match selector {
        PROCESS_MINERS_FEES => {
            if !context.remasc_transaction || context.from_contract {
                return Err(failed("REMASC may only be invoked by the last transaction of the block"));
            }
            rewards::process_miners_fees(context, state, &mut cells)?;
            Bytes::new()
        }
        GET_STATE_FOR_DEBUGGING => debugging_state(state, &cells)?,
        _ => return Err(failed("the selector names no method of REMASC")),
    };
    cells.save(state)?;
    Ok(Some(output))
}

/// ABI `bytes` of the RLP list of reward balance, burned balance, an empty list and one raw byte for the broken
/// selection rule.
fn debugging_state(state: &mut dyn ContractState, cells: &Cells) -> Result<Bytes, ContractError> {
    let mut payload = Vec::new();
    rlp::write_uint(&mut payload, cells.reward_balance(state)?);
    rlp::write_uint(&mut payload, cells.burned_balance(state)?);
    payload.extend_from_slice(&rlp::list(&[]));
    payload.push(u8::from(cells.broken_selection_rule(state)?));
    Ok(encode(&[AbiValue::Bytes(rlp::list(&payload).into())]).into())
}

#[cfg(test)]
#[test]
fn selectors_are_those_of_the_signatures() {
    use rhizome_primitives::abi::selector;
    assert_eq!(PROCESS_MINERS_FEES, selector("processMinersFees()"));
    assert_eq!(GET_STATE_FOR_DEBUGGING, selector("getStateForDebugging()"));
}
