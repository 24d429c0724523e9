//! The state of the Bridge as `eth_bridgeState` and `rsk_getBridgeStatus` report it.

use rhizome_bridge::BridgeStatus;
use rhizome_primitives::B256;
use rhizome_primitives::contract::ContractError;
use rhizome_primitives::interrupt::Interrupt;

use crate::frames::Evm;
use crate::host::BlockContext;
use crate::journal::{FrameState, Journal};

/// State of the Bridge that can be read without calling it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BridgeSummary {
    /// Height of the best Bitcoin chain that the Bridge knows.
    pub bitcoin_height: i32,
    /// Rootstock transactions whose Bitcoin transactions wait for signatures.
    pub waiting_for_signatures: Vec<B256>,
}

/// Reads the Bridge on the state that the journal reads, under the rules of the context's block, until `interrupt` is
/// raised.
///
/// # Errors
/// [`ContractError::Failed`] when a cell does not parse, [`ContractError::State`] when the state cannot be read,
/// [`ContractError::Interrupted`].
pub fn bridge_summary(
    context: BlockContext,
    mut journal: Journal,
    interrupt: Option<Interrupt>,
) -> Result<BridgeSummary, ContractError> {
    journal.interrupt = interrupt;
    let mut evm = Evm::new(context, journal);
    let host = &mut evm.host;
    let mut state = FrameState { journal: &mut host.journal, transfers: &mut host.transfers };
    let (bitcoin_height, waiting_for_signatures) =
        rhizome_bridge::head_and_waiting(&host.context.spec, host.rules.set, &mut state, host.context.block.number)?;
    Ok(BridgeSummary { bitcoin_height, waiting_for_signatures })
}

/// Federations, funds and peg-outs on the state that the journal reads, under the rules of the context's block, until
/// `interrupt` is raised.
///
/// # Errors
/// As [`bridge_summary`].
pub fn bridge_status(
    context: BlockContext,
    mut journal: Journal,
    interrupt: Option<Interrupt>,
) -> Result<BridgeStatus, ContractError> {
    journal.interrupt = interrupt;
    let mut evm = Evm::new(context, journal);
    let host = &mut evm.host;
    let mut state = FrameState { journal: &mut host.journal, transfers: &mut host.transfers };
    rhizome_bridge::bridge_status(&host.context.spec, host.rules.set, &mut state, host.context.block.number)
}
