//! Federations: who signs for the Bitcoin side (bridge.md §3.4, §4.7).

pub(crate) mod codec;
pub mod key;
pub(crate) mod live;
pub(crate) mod member;
pub(crate) mod script;

use rhizome_primitives::Address;
use rhizome_primitives::bridge_spec::{BridgeSpec, FederationFormat};
use rhizome_primitives::contract::{ContractError, ContractState};
use rhizome_primitives::rules::RuleSet;
use rhizome_primitives::spec::ChainSpec;

pub use member::FederationMember;

use crate::bitcoin::address;
use crate::storage::Frame;

/// A federation with its script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Federation {
    /// Sorted by keys.
    pub(crate) members: Vec<FederationMember>,
    /// Milliseconds; federations from before RSKIP419 hold seconds as if they were milliseconds.
    pub(crate) creation_time: u64,
    pub(crate) creation_block: u64,
    pub(crate) format: FederationFormat,
    pub(crate) redeem_script: Vec<u8>,
}

impl Federation {
    pub(crate) fn new(
        spec: &BridgeSpec,
        rules: RuleSet,
        format: FederationFormat,
        mut members: Vec<FederationMember>,
        creation_time: u64,
        creation_block: u64,
    ) -> Self {
        members.sort();
        let redeem_script = script::redeem_script(spec, rules, format, &members);
        Self { members, creation_time, creation_block, format, redeem_script }
    }

    /// The first federation of the network.
    pub(crate) fn genesis(spec: &BridgeSpec, rules: RuleSet) -> Self {
        let constants = &spec.federation;
        let members = constants.genesis_keys.iter().map(|key| FederationMember::of_one_key(key.0)).collect();
        Self::new(spec, rules, constants.genesis_format, members, constants.genesis_creation_time, 1)
    }

    /// Signatures that move its funds.
    pub(crate) fn threshold(&self) -> usize {
        script::threshold(self.members.len())
    }

    pub(crate) fn address(&self, spec: &BridgeSpec) -> address::Address {
        script::address(spec, self.format, &self.redeem_script)
    }

    /// Whether a transaction of this sender comes from a member.
    pub(crate) fn has_member(&self, sender: Address) -> bool {
        self.members.iter().any(|member| member.rsk_address() == Some(sender))
    }
}

/// Members of the federation that is active at a block, sorted by their keys. Writes nothing.
///
/// # Errors
/// [`ContractError::Failed`] when a stored federation does not parse, [`ContractError::State`] when the
/// state cannot be read.
pub fn active_members(
    spec: &ChainSpec,
    rules: RuleSet,
    state: &mut dyn ContractState,
    at_block_number: u64,
) -> Result<Vec<FederationMember>, ContractError> {
    Frame::read_only(spec, rules, at_block_number, state).active_federation().map(|federation| federation.members)
}
