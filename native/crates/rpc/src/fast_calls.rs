//! Calls and estimates that are short enough for the thread that has the sockets.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use foldhash::fast::RandomState;
use rhizome_answers::{BlockNames, NamedBlock, Output};
use rhizome_evm::{
    BlockContext, CallStatus, EstimateError, EstimateInput, ExecutionError, LocalCall, Message, TransactionError,
    Workspace, call_in, estimate_gas,
};
use rhizome_primitives::block::Ancestry;
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

/// Blocks whose environment is held, about half a kilobyte each. It follows from the hash, so that it is never wrong.
const MAX_BLOCKS: usize = 1024;

/// Programs that are remembered not to end here.
const MAX_PROGRAMS: usize = 1024;
/// Calls of a program that did not end here which are passed over before the next attempt; twice as many after each
/// attempt that fails again.
const FIRST_PASSES: u32 = 256;
const MAX_PASSES: u32 = 65_536;

/// Request that a call makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CallKind {
    /// Its output.
    Output,
    /// The gas that it needs as a transaction.
    Estimate,
}

/// Most gas that calls and estimates get.
#[derive(Clone, Copy, Debug)]
pub struct GasCaps {
    /// Of a call.
    pub call: u64,
    /// Of an estimate.
    pub estimate: u64,
}

/// Environment of a block.
#[derive(Clone)]
struct Environment {
    context: BlockContext,
    /// That of the context.
    branch: Arc<MemoryBranch>,
}

/// A call that was read, and the state that it is executed on.
pub(crate) struct ReadCall {
    kind: CallKind,
    message: Message,
    hash: B256,
    root: B256,
    is_at_head: bool,
}

/// Kind, true at the head, contract and first four bytes of the data, fewer where there are none. What fails at earlier
/// blocks says nothing of the newest one.
type Program = (CallKind, bool, Option<Address>, [u8; 4]);

/// Record of a program that did not end here.
struct BackOff {
    /// Calls that are still passed over.
    left: u32,
    /// Calls that were passed over after the last attempt.
    passes: u32,
}

/// Calls and estimates that were executed here, and their gas: that of a call as its transaction would use it, at
/// most what may be done here for one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallStats {
    /// Begun here.
    pub attempts: u64,
    /// Of these, left to a worker in the end.
    pub failures: u64,
    /// Gas of all of them; of those that ended for what is not in memory none is known.
    pub gas: u64,
    /// Gas of those that a worker executed once more.
    pub wasted_gas: u64,
}

/// Outcome of an execution: whether it wrote a result, and its gas.
struct Ran {
    written: Option<()>,
    gas: u64,
}

/// Executes calls that name nothing but accounts, value and data, from memory: never from the disk, so that the thread
/// that has the sockets can. One per thread.
pub struct FastCalls {
    store: Arc<StateStore>,
    spec: Arc<ChainSpec>,
    caps: GasCaps,
    environments: HashMap<B256, Environment, RandomState>,
    workspace: Workspace,
    back_offs: HashMap<Program, BackOff, RandomState>,
    spent: Duration,
    stats: CallStats,
}

impl FastCalls {
    /// Nothing was executed yet.
    pub fn new(store: Arc<StateStore>, spec: Arc<ChainSpec>, caps: GasCaps) -> Self {
        Self {
            store,
            spec,
            caps,
            environments: HashMap::default(),
            workspace: Workspace::default(),
            back_offs: HashMap::default(),
            spent: Duration::ZERO,
            stats: CallStats::default(),
        }
    }

    /// A turn of the thread is over.
    pub fn end_turn(&mut self) {
        self.spent = Duration::ZERO;
    }

    /// Counts of what was executed so far.
    pub fn stats(&self) -> CallStats {
        self.stats
    }

    /// The call of parameters, if it is worth an attempt at a canonical block whose state is known.
    pub(crate) fn read(&mut self, kind: CallKind, params: &[u8], names: &mut BlockNames) -> Option<ReadCall> {
        let (message, name) = parse_call(params, kind == CallKind::Estimate)?;
        if self.spent >= TURN {
            return None;
        }
        let block = names.get(name)?;
        let call = ReadCall { kind, message, hash: block.hash, root: block.root?, is_at_head: names.is_head(&block) };
        if self.is_passed_over(&call.program()) {
            return None;
        }
        self.learn(&block, names)?;
        Some(call)
    }

    /// Has the environment of a block. None where its header is not at hand.
    fn learn(&mut self, block: &NamedBlock, names: &BlockNames) -> Option<()> {
        if self.environments.contains_key(&block.hash) {
            return Some(());
        }
        let env = names.env_of(block)?;
        let branch = Arc::new(self.store.memory_ancestry(env.parent_hash, env.number));
        let ancestry: Arc<dyn Ancestry> = branch.clone();
        let context = BlockContext::new(Arc::clone(&self.spec), env, ancestry);
        if self.environments.len() >= MAX_BLOCKS {
            self.environments.clear();
        }
        self.environments.insert(block.hash, Environment { context, branch });
        Some(())
    }

    /// Executes a call and writes what it has to say. None where it is not ordinary, takes longer than this thread has,
    /// reads what is not at hand, failed or reverted: its method's own code knows what to say.
    pub(crate) fn attempt(&mut self, call: &ReadCall, output: &mut Output<'_>) -> Option<()> {
        let kind = call.kind;
        let Environment { context, branch } = self.environments.get(&call.hash)?.clone();
        let start = Instant::now();
        let result = self.run(call, context, output);
        self.spent += start.elapsed();
        self.stats.attempts += 1;
        // Workers read it into memory: the next attempt finds it there.
        let is_missing =
            branch.take_missed() || matches!(result, Err(ExecutionError::State(StateError::MissingNode(_))));
        let (written, gas) = match result {
            _ if is_missing => (None, 0),
            Ok(Ran { written, gas }) => (written, gas.min(effort_of(kind))),
            Err(_) => (None, effort_of(kind)),
        };
        self.stats.gas += gas;
        if written.is_some() {
            self.succeeded(&call.program());
            return written;
        }
        self.stats.failures += 1;
        self.stats.wasted_gas += gas;
        if !is_missing {
            self.failed(call.program());
        }
        None
    }

    /// Counts a call of a program that is passed over.
    fn is_passed_over(&mut self, program: &Program) -> bool {
        if self.back_offs.is_empty() {
            return false;
        }
        match self.back_offs.get_mut(program) {
            Some(known) if known.left > 0 => {
                known.left -= 1;
                true
            }
            _ => false,
        }
    }

    fn succeeded(&mut self, program: &Program) {
        if !self.back_offs.is_empty() {
            self.back_offs.remove(program);
        }
    }

    fn failed(&mut self, program: Program) {
        if let Some(known) = self.back_offs.get_mut(&program) {
            known.passes = known.passes.saturating_mul(2).min(MAX_PASSES);
            known.left = known.passes;
            return;
        }
        if self.back_offs.len() >= MAX_PROGRAMS {
            self.back_offs.clear();
        }
        self.back_offs.insert(program, BackOff { left: FIRST_PASSES, passes: FIRST_PASSES });
    }

    fn run(&mut self, call: &ReadCall, context: BlockContext, output: &mut Output<'_>) -> Result<Ran, ExecutionError> {
        let (kind, message) = (call.kind, call.message.clone());
        // Made anew, as the head's cache knows which states are the head's only when a reader is made.
        let state: Arc<dyn StateReader> = Arc::new(self.store.memory_reader(call.root));
        match kind {
            CallKind::Output => {
                let call = LocalCall {
                    context,
                    message,
                    gas: self.caps.call,
                    overrides: &[],
                    interrupt: None,
                    effort: Some(effort_of(kind)),
                };
                match call_in(&call, state, &mut self.workspace) {
                    Ok(outcome) => {
                        let is_success = outcome.status == CallStatus::Success;
                        let written = if is_success { output.put_data(&outcome.output) } else { None };
                        Ok(Ran { written, gas: outcome.gas_used })
                    }
                    Err(TransactionError::Invalid(_)) => Ok(Ran { written: None, gas: 0 }),
                    Err(TransactionError::Execution(failure)) => Err(failure),
                }
            }
            CallKind::Estimate => {
                let cap = self.caps.estimate;
                let effort = Some(effort_of(kind));
                let input = EstimateInput { context, message, cap, overrides: &[], interrupt: None, effort };
                match estimate_gas(&input, state) {
                    Ok(gas) => Ok(Ran { written: output.put_quantity(U256::from(gas)), gas }),
                    Err(EstimateError::Execution(failure)) => Err(failure),
                    Err(_) => Ok(Ran { written: None, gas: effort_of(kind) }),
                }
            }
        }
    }
}

fn effort_of(kind: CallKind) -> u64 {
    match kind {
        CallKind::Output => CALL_EFFORT,
        CallKind::Estimate => ESTIMATE_EFFORT,
    }
}

impl ReadCall {
    fn program(&self) -> Program {
        let Self { kind, message, is_at_head, .. } = self;
        (*kind, *is_at_head, message.to, message.data.first_chunk().copied().unwrap_or_default())
    }
}
