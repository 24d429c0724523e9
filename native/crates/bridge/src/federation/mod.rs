//! Federations: the signers on the Bitcoin side (bridge.md §3.4, §4.7).

pub(crate) mod codec;
pub mod key;
pub(crate) mod live;
pub(crate) mod member;
pub(crate) mod script;

use rhizome_bitcoin::Input;
use rhizome_bitcoin::address::Address as BitcoinAddress;
use rhizome_bitcoin::multisig_input::set_skeleton;
use rhizome_bitcoin::script::builder::pay_to_script_hash;
use rhizome_primitives::bridge_spec::{BridgeSpec, FederationFormat};
use rhizome_primitives::contract::{ContractError, ContractState};
use rhizome_primitives::rules::{Rule, RuleSet};
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::{Address, B256};

pub use key::MemberKey;
pub use member::FederationMember;

use crate::storage::Frame;
use script::Scripts;

/// A federation with its scripts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Federation {
    /// Sorted by keys.
    pub members: Vec<FederationMember>,
    /// Milliseconds; federations from before RSKIP419 have seconds here as if they were milliseconds.
    pub creation_time: i64,
    /// Block of the commit, or of the proposal.
    pub creation_block: i64,
    /// Form of the redeem script.
    pub format: FederationFormat,
    /// None for a standard federation whose number of members has no valid script.
    scripts: Option<Scripts>,
}

impl Federation {
    /// A federation of the given members, in any order.
    ///
    /// # Errors
    /// [`ContractError::Failed`] when there is no redeem script with an emergency branch for the members. A standard
    /// federation without a script fails only when the script is used.
    pub fn new(
        spec: &BridgeSpec,
        rules: RuleSet,
        format: FederationFormat,
        mut members: Vec<FederationMember>,
        creation_time: i64,
        creation_block: i64,
    ) -> Result<Self, ContractError> {
        members.sort();
        let scripts = match script::scripts(spec, rules, format, &members) {
            Ok(scripts) => Some(scripts),
            Err(_) if format == FederationFormat::Standard => None,
            Err(error) => return Err(error),
        };
        Ok(Self { members, creation_time, creation_block, format, scripts })
    }

    /// The first federation of the network.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn genesis(spec: &BridgeSpec, rules: RuleSet) -> Result<Self, ContractError> {
        let constants = &spec.federation;
        let keys = constants.genesis_keys.iter().map(|key| MemberKey::Point(key.0));
        let members = keys.map(FederationMember::of_one_key).collect();
        let time = constants.genesis_creation_time as i64;
        Self::new(spec, rules, constants.genesis_format, members, time, 1)
    }

    /// The format in which the members of a pending federation are committed.
    pub(crate) fn format_of_commit(rules: RuleSet) -> FederationFormat {
        match (rules.active(Rule::Rskip201), rules.active(Rule::Rskip353), rules.active(Rule::Rskip305)) {
            (false, ..) => FederationFormat::Standard,
            (true, false, _) => FederationFormat::NonStandardErp,
            (true, true, false) => FederationFormat::P2shErp,
            (true, true, true) => FederationFormat::P2shP2wshErp,
        }
    }

    /// True when a witness spends its outputs.
    pub(crate) fn is_segwit(&self) -> bool {
        self.format == FederationFormat::P2shP2wshErp
    }

    /// Number of signatures that move its funds.
    pub fn threshold(&self) -> usize {
        script::threshold(self.members.len())
    }

    fn scripts(&self) -> Result<&Scripts, ContractError> {
        let none = || ContractError::Failed("no redeem script for this number of keys".into());
        self.scripts.as_ref().ok_or_else(none)
    }

    /// The redeem script of its outputs.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn redeem_script(&self) -> Result<&[u8], ContractError> {
        Ok(&self.scripts()?.redeem)
    }

    /// The redeem script without the emergency branch.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn members_redeem_script(&self) -> Result<&[u8], ContractError> {
        let none = || ContractError::Failed("the hard-coded redeem script has no part of the members".into());
        self.scripts()?.members.as_deref().ok_or_else(none)
    }

    /// Hash in its output script and address.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn script_hash(&self) -> Result<[u8; 20], ContractError> {
        Ok(script::script_hash(self.format, self.redeem_script()?))
    }

    /// Script of the outputs that it spends.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn output_script(&self) -> Result<Vec<u8>, ContractError> {
        Ok(pay_to_script_hash(&self.script_hash()?))
    }

    /// The output script without the emergency branch.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn members_output_script(&self) -> Result<Vec<u8>, ContractError> {
        let hash = script::script_hash(self.format, self.members_redeem_script()?);
        Ok(pay_to_script_hash(&hash))
    }

    /// Address of its outputs.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn address(&self, spec: &BridgeSpec) -> Result<BitcoinAddress, ContractError> {
        Ok(BitcoinAddress { version: spec.bitcoin.script_address_version, hash: self.script_hash()? })
    }

    /// Redeem script of a fly-over deposit.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn flyover_redeem_script(&self, derivation_hash: B256) -> Result<Vec<u8>, ContractError> {
        script::flyover(derivation_hash, self.redeem_script()?)
    }

    /// Hash in the output script and address of a fly-over deposit.
    pub(crate) fn flyover_script_hash(&self, derivation_hash: B256) -> Result<[u8; 20], ContractError> {
        Ok(script::script_hash(self.format, &self.flyover_redeem_script(derivation_hash)?))
    }

    /// Script of the outputs of a fly-over deposit.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn flyover_output_script(&self, derivation_hash: B256) -> Result<Vec<u8>, ContractError> {
        Ok(pay_to_script_hash(&self.flyover_script_hash(derivation_hash)?))
    }

    /// Address of a fly-over deposit.
    ///
    /// # Errors
    /// [`ContractError::Failed`] where the reference throws.
    pub fn flyover_address(&self, spec: &BridgeSpec, derivation_hash: B256) -> Result<BitcoinAddress, ContractError> {
        let hash = self.flyover_script_hash(derivation_hash)?;
        Ok(BitcoinAddress { version: spec.bitcoin.script_address_version, hash })
    }

    /// Sets the script, or witness, of an input to that of an unsigned spender of one of the federation's outputs. The
    /// redeem script is that of the federation or of a fly-over deposit.
    ///
    /// # Errors
    /// [`ContractError::Failed`] under the hard-coded script, which the reference does not treat as a multi-signature
    /// script.
    pub fn prepare_input(&self, input: &mut Input, redeem_script: &[u8]) -> Result<(), ContractError> {
        set_skeleton(input, redeem_script, self.is_segwit()).map_err(|error| ContractError::Failed(error.to_string()))
    }

    /// The member with a Bitcoin key, which is compared byte by byte.
    pub(crate) fn member_by_btc_key(&self, key: &[u8]) -> Option<&FederationMember> {
        self.members.iter().find(|member| *member.btc_key == *key)
    }

    /// True when the sender of a transaction is a member.
    pub(crate) fn has_member(&self, sender: Address) -> bool {
        self.members.iter().any(|member| member.rsk_address() == sender)
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
