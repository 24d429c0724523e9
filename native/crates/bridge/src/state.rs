//! The state of the Bridge as a whole, for people.

use rhizome_primitives::B256;
use rhizome_primitives::contract::{ContractError, ContractState};
use rhizome_primitives::rules::RuleSet;
use rhizome_primitives::spec::ChainSpec;

use crate::storage::Frame;
use crate::storage::codec::{ListWriter, encode_integer};
use crate::storage::federations::encode_utxos;
use crate::storage::pegouts::{encode_confirmations, encode_requests, encode_signatures};

pub use crate::storage::pegouts::{ReleaseRequest, WaitingPegout};

/// What `getStateForDebugging` and `eth_bridgeState` tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BridgeState {
    /// Height of the best Bitcoin chain that the Bridge knows.
    pub btc_blockchain_best_chain_height: i32,
    /// Block from which the next batch of peg-outs may be made; zero when not set.
    pub next_pegout_creation_block_number: u64,
    /// Unspent outputs of the newest federation, stored blobs (bridge.md §2.3).
    pub active_federation_utxos: Vec<Vec<u8>>,
    /// Bitcoin transactions that wait for signatures, by the Rootstock transaction that names them,
    /// sorted from the last byte of the hash to the first.
    pub waiting_for_signatures: Vec<(B256, Vec<u8>)>,
    /// Requests in the order of their arrival.
    pub release_requests: Vec<ReleaseRequest>,
    /// Bitcoin transactions that wait for Rootstock confirmations.
    pub waiting_for_confirmations: Vec<WaitingPegout>,
}

impl BridgeState {
    pub(crate) fn load(frame: &mut Frame<'_>) -> Result<Self, ContractError> {
        Ok(Self {
            btc_blockchain_best_chain_height: frame.open_headers()?.height,
            next_pegout_creation_block_number: frame.next_pegout_height()?,
            active_federation_utxos: frame.new_utxos()?.to_vec(),
            waiting_for_signatures: frame.waiting_for_signatures()?.to_vec(),
            release_requests: frame.requests()?.clone(),
            waiting_for_confirmations: frame.waiting_for_confirmations()?.to_vec(),
        })
    }

    /// RLP of the six fields; from RSKIP146 on only what has a transaction hash is told.
    pub(crate) fn encode(&self, papyrus: bool) -> Vec<u8> {
        let mut out = ListWriter::default();
        out.integer(self.btc_blockchain_best_chain_height as u64)
            .bytes(&encode_utxos(&self.active_federation_utxos))
            .bytes(&encode_signatures(&self.waiting_for_signatures))
            .bytes(&encode_requests(&self.release_requests, papyrus))
            .bytes(&encode_confirmations(&self.waiting_for_confirmations, papyrus))
            .bytes(&encode_integer(self.next_pegout_creation_block_number));
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
