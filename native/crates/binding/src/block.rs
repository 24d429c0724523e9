//! Execution and building of blocks.

use std::sync::Arc;

use napi::bindgen_prelude::BigInt;
use napi_derive::napi;
use rhizome_evm::{
    BlockError, BlockInput, BlockOutcome, Candidates, Transaction, build_block as build, execute_block as execute,
    precompile_accounts, worth_threads,
};
use rhizome_primitives::rules::Rule;
use rhizome_primitives::state::StateReader;
use rhizome_primitives::{B256, Bytes, rlp};
use rhizome_store::AppliedState;
use rhizome_trie::ordered::ordered_root;

use crate::byte_array::{Buffer, Uint8Array};
use crate::bytes;
use crate::errors::{Code, Result, error, state};
use crate::execution::{BlockEnvironment, ExecutableTransaction, execution_error, minimal};
use crate::fork::fetching_ahead;
use crate::spec::ChainSpec;
use crate::store::StateStore;

/// A block to execute.
#[napi(object)]
pub struct BlockToExecute {
    /// Root of the parent's state.
    pub parent_root: Uint8Array,
    /// The block as programs see it.
    pub environment: BlockEnvironment,
    /// Transactions in order.
    pub transactions: Vec<ExecutableTransaction>,
    /// Sublist edges of the header (RSKIP144).
    pub edges: Option<Vec<u16>>,
    /// Lets parallel sublists call the Bridge and REMASC: for recorded chains of scenario tests only.
    pub system_contracts_in_parallel: bool,
}

/// Candidates for a block on top of a parent.
#[napi(object)]
pub struct BlockCandidates {
    /// Root of the parent's state.
    pub parent_root: Uint8Array,
    /// The block as programs see it.
    pub environment: BlockEnvironment,
    /// In order of preference; the reward transaction, if there is one, comes last.
    pub transactions: Vec<ExecutableTransaction>,
}

/// A candidate that was left out.
#[napi(object)]
#[derive(Clone)]
pub struct SkippedCandidate {
    /// Index among the candidates.
    pub index: u32,
    /// The reason, as a message for people.
    pub reason: String,
    /// True when it would be left out of an empty block as well.
    pub hopeless: bool,
}

/// The result of executing a block. Nothing is kept until `keep` is called.
#[napi]
pub struct BlockExecution {
    store: Arc<rhizome_store::StateStore>,
    outcome: BlockOutcome,
    parent_root: B256,
    root: B256,
    applied: Option<AppliedState>,
    receipts_root: B256,
    included: Vec<u32>,
    edges: Option<Vec<u16>>,
    skipped: Vec<SkippedCandidate>,
}

#[napi]
impl BlockExecution {
    /// Root of the state after the block.
    #[napi(getter)]
    pub fn state_root(&self) -> Buffer {
        self.root.to_vec().into()
    }

    /// Root of the receipts, in the format of the block's rules.
    #[napi(getter)]
    pub fn receipts_root(&self) -> Buffer {
        self.receipts_root.to_vec().into()
    }

    /// Bloom over all logs, 256 bytes.
    #[napi(getter)]
    pub fn logs_bloom(&self) -> Buffer {
        self.outcome.logs_bloom.to_vec().into()
    }

    /// Sum of gas used.
    #[napi(getter)]
    pub fn gas_used(&self) -> BigInt {
        self.outcome.gas_used.into()
    }

    /// Sum of fees in wei, big-endian.
    #[napi(getter)]
    pub fn paid_fees(&self) -> Buffer {
        minimal(self.outcome.paid_fees)
    }

    /// RLP list of the receipts in block order.
    #[napi(getter)]
    pub fn receipt_list(&self) -> Buffer {
        let payload: Vec<u8> =
            self.outcome.transactions.iter().flat_map(|done| done.receipt.rlp.iter().copied()).collect();
        rlp::list(&payload).into()
    }

    /// RLP of each receipt in block order.
    #[napi(getter)]
    pub fn receipts(&self) -> Vec<Buffer> {
        self.outcome.transactions.iter().map(|transaction| transaction.receipt.rlp.to_vec().into()).collect()
    }

    /// Indices of the candidates in the block, in order; for a given block, all of its transactions.
    #[napi(getter)]
    pub fn included(&self) -> Vec<u32> {
        self.included.clone()
    }

    /// Sublist edges of a block built here, as exclusive ends (RSKIP144); null before the rule and for a given block.
    #[napi(getter)]
    pub fn edges(&self) -> Option<Vec<u16>> {
        self.edges.clone()
    }

    /// Candidates that were left out.
    #[napi(getter)]
    pub fn skipped(&self) -> Vec<SkippedCandidate> {
        self.skipped.clone()
    }

    /// Makes the state readable; durable with the store's next commit.
    #[napi(catch_unwind)]
    pub fn keep(&mut self) {
        if let Some(applied) = self.applied.take() {
            self.store.keep(applied);
        }
    }

    /// Sets this state as the head's. Cached reads are carried over when the parent was the head.
    #[napi(catch_unwind)]
    pub fn set_head(&self) {
        self.store.set_head(self.root, Some((&self.parent_root, &self.outcome.write_set)));
    }
}

/// Executes a block on its parent's state (consensus.md §4.5). Throws `InvalidBlock` when a transaction or the
/// sublists make it invalid.
#[napi(catch_unwind)]
pub fn execute_block(spec: &ChainSpec, store: &StateStore, block: BlockToExecute) -> Result<BlockExecution> {
    let parent_root = bytes::hash("parentRoot", &block.parent_root)?;
    block.with_input(spec, store, |input, reader| {
        let orchid = !input.context.rules.active(Rule::Rskip126);
        let outcome = fetching_ahead(&store.inner, || execute(input, reader.clone())).map_err(block_error)?;
        let included = (0..input.transactions.len() as u32).collect();
        let applied = store.inner.apply(parent_root, &outcome.write_set).map_err(state)?;
        execution(store, applied, outcome, orchid, Placed { included, edges: None, skipped: Vec::new() })
    })
}

impl BlockToExecute {
    /// Converts the block and its parent's state to the executor's types.
    pub fn with_input<T>(
        &self,
        spec: &ChainSpec,
        store: &StateStore,
        run: impl FnOnce(&BlockInput<'_>, Arc<dyn StateReader>) -> Result<T>,
    ) -> Result<T> {
        let parent_root = bytes::hash("parentRoot", &self.parent_root)?;
        let transactions = transactions(&self.transactions)?;
        let input = BlockInput {
            context: self.environment.context(spec, store)?,
            transactions: &transactions,
            edges: self.edges.as_deref(),
            interrupt: None,
            one_thread: !worth_threads(&transactions, self.edges.as_deref().unwrap_or_default()),
            system_contracts_in_parallel: self.system_contracts_in_parallel,
        };
        run(&input, store.reader(parent_root)?)
    }
}

/// Builds a block from candidates; those that are invalid or do not fit are left out.
#[napi(catch_unwind)]
pub fn build_block(spec: &ChainSpec, store: &StateStore, candidates: BlockCandidates) -> Result<BlockExecution> {
    let parent_root = bytes::hash("parentRoot", &candidates.parent_root)?;
    let transactions = transactions(&candidates.transactions)?;
    let context = candidates.environment.context(spec, store)?;
    let orchid = !context.rules.active(Rule::Rskip126);
    let input = Candidates { context, transactions: &transactions };
    let reader = store.reader(parent_root)?;
    let built = fetching_ahead(&store.inner, || build(&input, reader.clone())).map_err(block_error)?;
    let included = built.included.iter().map(|index| *index as u32).collect();
    let skipped = built.skipped.iter().map(|skipped| SkippedCandidate {
        index: skipped.index as u32,
        reason: skipped.reason.to_string(),
        hopeless: skipped.hopeless,
    });
    let skipped = skipped.collect();
    let applied = store.inner.apply_aside(parent_root, &built.outcome.write_set).map_err(state)?;
    execution(store, applied, built.outcome, orchid, Placed { included, edges: built.edges, skipped })
}

/// Adds the accounts of the precompiled contracts to a genesis state (consensus.md §1.4, §1.5) and keeps it. Returns
/// the new root.
#[napi(catch_unwind)]
pub fn add_genesis_contracts(spec: &ChainSpec, store: &StateStore, root: Uint8Array) -> Result<Buffer> {
    let root = bytes::hash("root", &root)?;
    let writes = precompile_accounts(&spec.inner, 0, store.reader(root)?).map_err(state)?;
    let applied = store.inner.apply(root, &writes).map_err(state)?;
    let root = applied.root();
    store.inner.keep(applied);
    Ok(root.to_vec().into())
}

fn transactions(given: &[ExecutableTransaction]) -> Result<Vec<Transaction>> {
    given.iter().map(ExecutableTransaction::to_transaction).collect()
}

/// The candidates after building a block.
struct Placed {
    included: Vec<u32>,
    edges: Option<Vec<u16>>,
    skipped: Vec<SkippedCandidate>,
}

fn execution(
    store: &StateStore,
    applied: AppliedState,
    outcome: BlockOutcome,
    orchid: bool,
    placed: Placed,
) -> Result<BlockExecution> {
    let receipts: Vec<Bytes> = outcome.transactions.iter().map(|transaction| transaction.receipt.rlp.clone()).collect();
    Ok(BlockExecution {
        store: Arc::clone(&store.inner),
        parent_root: applied.parent(),
        root: applied.root(),
        applied: Some(applied),
        receipts_root: ordered_root(&receipts, orchid).map_err(state)?,
        outcome,
        included: placed.included,
        edges: placed.edges,
        skipped: placed.skipped,
    })
}

/// The error of a block that is invalid or could not be executed.
pub fn block_error(failure: BlockError) -> napi::Error<Code> {
    match failure {
        BlockError::Execution(failure) => execution_error(failure),
        invalid => error(Code::InvalidBlock, invalid),
    }
}
