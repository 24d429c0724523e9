//! The state of the Bridge as a whole, for `getStateForDebugging` and `eth_bridgeState`.

use rhizome_primitives::B256;
use rhizome_primitives::contract::{ContractError, ContractState};
use rhizome_primitives::rules::RuleSet;
use rhizome_primitives::spec::ChainSpec;

use crate::storage::Frame;
use crate::storage::codec::{ListWriter, encode_long};
use crate::storage::confirmations::encode_confirmations;
use crate::storage::requests::encode_requests;
use crate::storage::utxos::encode_utxos;

pub use crate::storage::confirmations::WaitingPegout;
pub use crate::storage::requests::ReleaseRequest;
pub use crate::storage::signatures::WaitingForSignatures;
pub use crate::storage::utxos::Utxo;

/// The contents of `getStateForDebugging` and `eth_bridgeState`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BridgeState {
    /// Height of the best Bitcoin chain that the Bridge knows.
    pub btc_blockchain_best_chain_height: i32,
    /// Block from which the next batch of peg-outs may be made; zero when not set.
    pub next_pegout_creation_block_number: i64,
    /// Unspent outputs of the newest federation.
    pub active_federation_utxos: Vec<Utxo>,
    /// Bitcoin transactions that wait for signatures.
    pub waiting_for_signatures: WaitingForSignatures,
    /// Requests in the order of their arrival.
    pub release_requests: Vec<ReleaseRequest>,
    /// Bitcoin transactions that wait for Rootstock confirmations, sorted by their bytes.
    pub waiting_for_confirmations: Vec<WaitingPegout>,
}

impl BridgeState {
    pub(crate) fn load(frame: &mut Frame<'_>) -> Result<Self, ContractError> {
        Ok(Self {
            btc_blockchain_best_chain_height: frame.open_headers()?.height,
            next_pegout_creation_block_number: frame.next_pegout_height()?,
            active_federation_utxos: frame.new_utxos()?.to_vec(),
            waiting_for_signatures: frame.waiting_for_signatures()?.clone(),
            release_requests: frame.requests()?.clone(),
            waiting_for_confirmations: frame.waiting_for_confirmations()?.sorted().cloned().collect(),
        })
    }

    /// RLP of the six fields; from RSKIP146 on, only entries with a transaction hash are included.
    pub(crate) fn encode(&self, papyrus: bool) -> Vec<u8> {
        let mut out = ListWriter::default();
        out.long(i64::from(self.btc_blockchain_best_chain_height))
            .bytes(&encode_utxos(&self.active_federation_utxos))
            .bytes(&self.waiting_for_signatures.encode())
            .bytes(&encode_requests(&self.release_requests, papyrus))
            .bytes(&encode_confirmations(&self.waiting_for_confirmations, papyrus))
            .bytes(&encode_long(self.next_pegout_creation_block_number));
        out.finish()
    }
}

/// The state of the Bridge at a block, under the rules of that block. Writes nothing.
///
/// # Errors
/// [`ContractError::Failed`] when a cell does not parse, [`ContractError::State`] when the state cannot
/// be read.
pub fn bridge_state(
    spec: &ChainSpec,
    rules: RuleSet,
    state: &mut dyn ContractState,
    at_block_number: u64,
) -> Result<BridgeState, ContractError> {
    BridgeState::load(&mut Frame::read_only(spec, rules, at_block_number, state))
}

/// Height of the best Bitcoin chain that the Bridge knows at a block, and the Rootstock transactions whose Bitcoin
/// transactions wait for signatures: the fields of `eth_bridgeState`, without the lists that it does not return. Writes
/// nothing.
///
/// # Errors
/// As for [`bridge_state`], and [`ContractError::Interrupted`].
pub fn head_and_waiting(
    spec: &ChainSpec,
    rules: RuleSet,
    state: &mut dyn ContractState,
    at_block_number: u64,
) -> Result<(i32, Vec<B256>), ContractError> {
    let mut frame = Frame::read_only(spec, rules, at_block_number, state);
    let height = frame.open_headers()?.height;
    Ok((height, frame.waiting_for_signatures()?.iter().map(|(hash, _)| hash).collect()))
}
