//! The federators that REMASC pays.

use rhizome_bridge::federation::{active_members, key::rsk_address};
use rhizome_primitives::Address;
use rhizome_primitives::contract::{ContractContext, ContractError, ContractState};
use rhizome_primitives::rules::Rule;

use crate::native::failed;

/// Addresses of the federation that was active at the paid block, under the rules of the executing
/// one: from the Rootstock keys since RSKIP415, from the Bitcoin keys before.
pub(super) fn federators(
    context: &ContractContext,
    state: &mut dyn ContractState,
    number: u64,
) -> Result<Vec<Address>, ContractError> {
    let by_rsk_key = context.rules.active(Rule::Rskip415);
    let members = active_members(context.spec, context.rules, state, number)?;
    let addresses =
        members.iter().map(|member| rsk_address(if by_rsk_key { &member.rsk_key } else { &member.btc_key }));
    addresses.collect::<Option<_>>().ok_or_else(|| failed("a federation key is malformed"))
}
