//! Calls and estimates at the newest block that are short enough for the thread that has the sockets.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use foldhash::fast::RandomState;
use rhizome_answers::Output;
use rhizome_evm::{
    BlockContext, CallStatus, EstimateError, EstimateInput, ExecutionError, LocalCall, Message, TransactionError,
    Workspace, call_in, estimate_gas,
};
use rhizome_primitives::block::{Ancestry, BlockEnv};
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::state::{StateError, StateReader};
use rhizome_primitives::{Address, B256, U256};
use rhizome_store::{MemoryBranch, StateStore};

use crate::call_params::parse_call;

/// Gas whose work takes some 100 µs: a transfer of a token and more, but no long loop.
const CALL_EFFORT: u64 = 50_000;
/// An estimate executes three times at least.
const ESTIMATE_EFFORT: u64 = 200_000;
/// Time of calls in one turn of the thread: what comes after that goes to the workers.
const TURN: Duration = Duration::from_millis(2);

/// Programs that are remembered to be long.
const MOST_LONG: usize = 1024;
/// A program that took long is given another chance after so many calls.
const PASSED_OVER: u32 = 256;

/// What is asked of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// Its output.
    Output,
    /// The gas that it needs as a transaction.
    Estimate,
}

/// Why a call is not executed, or not to its end.
pub(crate) enum Unanswered {
    /// State and block are not known: see [`FastCalls::set_block_context`].
    NoPlace,
    /// It takes longer than this thread has, or reads what is not in memory.
    TooLong,
    /// It is not ordinary, or it failed or reverted: its method's own code knows what to say.
    Declined,
}

/// Most gas that calls and estimates get.
#[derive(Clone, Copy, Debug)]
pub struct GasCaps {
    /// Of a call.
    pub call: u64,
    /// Of an estimate.
    pub estimate: u64,
}

#[derive(Clone)]
struct Place {
    root: B256,
    context: BlockContext,
    /// That of the context.
    branch: Arc<MemoryBranch>,
}

/// Contract and first four bytes of the data, fewer where there are none.
type Program = (CallKind, Option<Address>, [u8; 4]);

/// Executes calls that name nothing but accounts, value and data, from memory: never from the disk, so that the thread
/// that has the sockets can. One per thread.
pub struct FastCalls {
    store: Arc<StateStore>,
    spec: Arc<ChainSpec>,
    caps: GasCaps,
    place: Option<Place>,
    workspace: Workspace,
    long: HashMap<Program, u32, RandomState>,
    spent: Duration,
}

impl FastCalls {
    /// No place is known.
    pub fn new(store: Arc<StateStore>, spec: Arc<ChainSpec>, caps: GasCaps) -> Self {
        let (workspace, long) = (Workspace::default(), HashMap::default());
        Self { store, spec, caps, place: None, workspace, long, spent: Duration::ZERO }
    }

    /// Names state and block of the calls that follow.
    pub fn set_block_context(&mut self, root: B256, block: BlockEnv) {
        let branch = Arc::new(self.store.memory_ancestry(block.parent_hash, block.number));
        let ancestry: Arc<dyn Ancestry> = branch.clone();
        let context = BlockContext::new(Arc::clone(&self.spec), block, ancestry);
        self.place = Some(Place { root, context, branch });
    }

    /// Forgets state and block: the head changed.
    pub fn clear_block_context(&mut self) {
        self.place = None;
    }

    /// A turn of the thread is over.
    pub fn end_turn(&mut self) {
        self.spent = Duration::ZERO;
    }

    /// The call of parameters, if it is worth an attempt.
    pub(crate) fn read(&mut self, kind: CallKind, params: &[u8]) -> Result<Message, Unanswered> {
        let message = parse_call(params, kind == CallKind::Estimate).ok_or(Unanswered::Declined)?;
        if self.spent >= TURN || self.is_long(&program_of(kind, &message)) {
            return Err(Unanswered::TooLong);
        }
        Ok(message)
    }

    /// Executes a call and writes what it has to say.
    pub(crate) fn attempt(
        &mut self,
        kind: CallKind,
        message: &Message,
        output: &mut Output<'_>,
    ) -> Result<(), Unanswered> {
        let Some(place) = self.place.clone() else { return Err(Unanswered::NoPlace) };
        let branch = Arc::clone(&place.branch);
        let start = Instant::now();
        let result = self.run(kind, message.clone(), place, output);
        self.spent += start.elapsed();
        if branch.take_missed() {
            return Err(Unanswered::TooLong);
        }
        match result {
            Ok(written) => written.ok_or(Unanswered::Declined),
            // Workers read it into memory: the next attempt finds it there.
            Err(ExecutionError::State(StateError::MissingNode(_))) => Err(Unanswered::TooLong),
            Err(ExecutionError::TooLong) => {
                if self.long.len() >= MOST_LONG {
                    self.long.clear();
                }
                self.long.insert(program_of(kind, message), PASSED_OVER);
                Err(Unanswered::TooLong)
            }
            Err(_) => Err(Unanswered::Declined),
        }
    }

    fn is_long(&mut self, program: &Program) -> bool {
        if self.long.is_empty() {
            return false;
        }
        let Some(left) = self.long.get_mut(program) else { return false };
        *left -= 1;
        if *left == 0 {
            self.long.remove(program);
        }
        true
    }

    fn run(
        &mut self,
        kind: CallKind,
        message: Message,
        Place { root, context, .. }: Place,
        output: &mut Output<'_>,
    ) -> Result<Option<()>, ExecutionError> {
        // Made anew, as the head's cache knows which states are the head's only when a reader is made.
        let state: Arc<dyn StateReader> = Arc::new(self.store.memory_reader(root));
        match kind {
            CallKind::Output => {
                let call = LocalCall {
                    context,
                    message,
                    gas: self.caps.call,
                    overrides: &[],
                    interrupt: None,
                    effort: Some(CALL_EFFORT),
                };
                match call_in(&call, state, &mut self.workspace) {
                    Ok(outcome) if outcome.status == CallStatus::Success => Ok(output.put_data(&outcome.output)),
                    Ok(_) | Err(TransactionError::Invalid(_)) => Ok(None),
                    Err(TransactionError::Execution(failure)) => Err(failure),
                }
            }
            CallKind::Estimate => {
                let cap = self.caps.estimate;
                let effort = Some(ESTIMATE_EFFORT);
                let input = EstimateInput { context, message, cap, overrides: &[], interrupt: None, effort };
                match estimate_gas(&input, state) {
                    Ok(gas) => Ok(output.put_quantity(U256::from(gas))),
                    Err(EstimateError::Execution(failure)) => Err(failure),
                    Err(_) => Ok(None),
                }
            }
        }
    }
}

fn program_of(kind: CallKind, message: &Message) -> Program {
    (kind, message.to, message.data.first_chunk().copied().unwrap_or_default())
}
