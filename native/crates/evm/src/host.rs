//! What instructions reach beyond their own frame: block, transaction, journal.

use std::sync::Arc;

use revm_interpreter::context_interface::cfg::GasParams;
use revm_interpreter::context_interface::host::LoadError;
use revm_interpreter::context_interface::journaled_state::AccountInfoLoad;
use revm_interpreter::{Host, InstructionResult, SStoreResult, SelfDestructResult, StateLoad};
use revm_primitives::hardfork::SpecId;
use rhizome_primitives::block::{Ancestry, BlockEnv};
use rhizome_primitives::contract::{Log, SignedHash};
use rhizome_primitives::rules::RuleSet;
use rhizome_primitives::spec::ChainSpec;
use rhizome_primitives::state::StateError;
use rhizome_primitives::{Address, B256, Bytes, U256};

use crate::error::{ExecutionError, HaltKind};
use crate::internal_transaction::FrameTransaction;
use crate::journal::{Index, Journal, Transfer};
use crate::rules::VmRules;

/// The interpreter's fork: the newest one that it knows, so that none of its instructions refuses to run. Which opcodes
/// there are, and what they cost, is decided by the instruction table alone.
pub(crate) const SPEC: SpecId = SpecId::AMSTERDAM;

/// Network and block of an execution.
#[derive(Clone)]
pub struct BlockContext {
    /// Network.
    pub spec: Arc<ChainSpec>,
    /// Rules of the block.
    pub rules: RuleSet,
    /// The executing block.
    pub block: BlockEnv,
    /// The branch below it.
    pub ancestry: Arc<dyn Ancestry>,
}

impl BlockContext {
    /// A context whose rules are those of the block's number.
    pub fn new(spec: Arc<ChainSpec>, block: BlockEnv, ancestry: Arc<dyn Ancestry>) -> Self {
        Self { rules: spec.rules_at(block.number), spec, block, ancestry }
    }
}

/// The running transaction as instructions and contracts see it.
#[derive(Clone, Debug, Default)]
pub(crate) struct TransactionEnv {
    pub(crate) origin: Address,
    pub(crate) signature: Option<SignedHash>,
    pub(crate) gas_price: U256,
    pub(crate) index: u32,
    pub(crate) local_call: bool,
    pub(crate) remasc: bool,
    pub(crate) free: bool,
}

/// A call or creation that the running frame requests, with its gas already taken.
pub(crate) enum Request {
    Call(CallRequest),
    Create(CreateRequest),
}

/// CALL, CALLCODE, DELEGATECALL or STATICCALL after its gas and out range were paid.
pub(crate) struct CallRequest {
    pub(crate) opcode: u8,
    /// The full stack word: precompiled contracts are found by all 256 bits.
    pub(crate) word: U256,
    pub(crate) address: Address,
    pub(crate) value: U256,
    pub(crate) gas: u64,
    pub(crate) input: (usize, usize),
    pub(crate) output: (usize, usize),
    /// Low 32 bits of the out offset, also when the range is empty: before RSKIP150 precompiled
    /// contracts write there whatever the range.
    pub(crate) raw_output_offset: u32,
}

/// CREATE or CREATE2 after its fixed gas was paid.
pub(crate) struct CreateRequest {
    pub(crate) value: U256,
    pub(crate) initcode: Bytes,
    pub(crate) salt: Option<U256>,
}

/// State of one frame that instructions need to reach.
pub(crate) struct FrameEnv {
    /// The executing account in the journal.
    pub(crate) target: Index,
    pub(crate) transaction: FrameTransaction,
    /// Internal transactions recorded in this frame, merged calls included.
    pub(crate) internal_count: u32,
}

/// Block, transaction and state of the running execution.
pub(crate) struct EvmHost {
    pub(crate) context: BlockContext,
    pub(crate) rules: VmRules,
    pub(crate) journal: Journal,
    pub(crate) transaction: TransactionEnv,
    pub(crate) frames: Vec<FrameEnv>,
    pub(crate) request: Option<Request>,
    pub(crate) fatal: Option<ExecutionError>,
    /// Kind of the halt when the interpreter's own codes have none.
    pub(crate) halt: Option<HaltKind>,
    /// The precompiled contract called that parallel sublists ban (RSKIP144).
    pub(crate) banned: Option<Address>,
    /// Number of constructors of CREATE or CREATE2 on the frame stack: the ban does not apply to calls below one.
    pub(crate) constructors: usize,
    /// Payments of precompiled contracts since they were last taken.
    pub(crate) transfers: Vec<Transfer>,
    /// Account, beneficiary and balance of the last SELFDESTRUCT.
    pub(crate) inheritance: Option<(Address, Address, U256)>,
    gas_params: GasParams,
}

impl EvmHost {
    pub(crate) fn new(context: BlockContext, journal: Journal) -> Self {
        Self {
            rules: VmRules::new(context.rules),
            context,
            journal,
            transaction: TransactionEnv::default(),
            frames: Vec::new(),
            request: None,
            fatal: None,
            halt: None,
            banned: None,
            constructors: 0,
            transfers: Vec::new(),
            inheritance: None,
            // From Spurious Dragon to Petersburg every dynamic price of the remaining built-in instructions is
            // Rootstock's: EXP 50 a byte, no price for cold access.
            gas_params: GasParams::new_spec(SpecId::PETERSBURG),
        }
    }

    pub(crate) fn frame(&self) -> &FrameEnv {
        self.frames.last().expect("an instruction runs in a frame")
    }

    /// Halts with a kind that the interpreter does not have.
    #[cold]
    pub(crate) fn halted(&mut self, kind: HaltKind) -> InstructionResult {
        self.halt = Some(kind);
        InstructionResult::PrecompileError
    }

    /// Aborts execution: the state could not be read.
    #[cold]
    pub(crate) fn failed(&mut self, error: StateError) -> InstructionResult {
        self.fatal = Some(error.into());
        InstructionResult::FatalExternalError
    }

    /// Hash of the transaction of the frame at `depth`, of the outer one at 0.
    pub(crate) fn transaction_hash(&mut self, depth: usize) -> B256 {
        let mut parent = B256::ZERO;
        for frame in &mut self.frames[..=depth] {
            parent = match &frame.transaction {
                FrameTransaction::Known(hash) => *hash,
                FrameTransaction::Internal(internal) => {
                    internal.hash(parent, self.transaction.gas_price, self.context.block.gas_limit)
                }
            };
            frame.transaction = FrameTransaction::Known(parent);
        }
        parent
    }

    /// Hash of the block with this number among the last 256 ancestors; zero otherwise.
    pub(crate) fn ancestor_hash(&self, number: U256) -> Result<U256, StateError> {
        let depth = U256::from(self.context.block.number)
            .checked_sub(number)
            .and_then(|distance| u64::try_from(distance).ok())
            .filter(|distance| (1..=256).contains(distance));
        let ancestry = &self.context.ancestry;
        match depth.and_then(|distance| ancestry.ancestor_hash(distance - 1)) {
            Some(hash) => Ok(U256::from_be_bytes(hash.0)),
            None => ancestry.failure().map_or(Ok(U256::ZERO), Err),
        }
    }
}

/// The remaining built-in instructions use the block and transaction metadata, `gas_params` and `log`. Everything that
/// touches the state is replaced (tables.rs), so those functions return an error.
impl Host for EvmHost {
    fn basefee(&self) -> U256 {
        self.context.block.minimum_gas_price
    }

    fn blob_gasprice(&self) -> U256 {
        U256::ZERO
    }

    fn gas_limit(&self) -> U256 {
        U256::from(self.context.block.gas_limit)
    }

    fn difficulty(&self) -> U256 {
        self.context.block.difficulty
    }

    fn prevrandao(&self) -> Option<U256> {
        Some(self.context.block.difficulty)
    }

    fn block_number(&self) -> U256 {
        U256::from(self.context.block.number)
    }

    fn timestamp(&self) -> U256 {
        U256::from(self.context.block.timestamp)
    }

    fn beneficiary(&self) -> Address {
        self.context.block.coinbase
    }

    fn slot_num(&self) -> U256 {
        U256::ZERO
    }

    fn chain_id(&self) -> U256 {
        U256::from(self.context.spec.chain_id)
    }

    fn effective_gas_price(&self) -> U256 {
        self.transaction.gas_price
    }

    fn caller(&self) -> Address {
        self.transaction.origin
    }

    fn blob_hash(&self, _number: usize) -> Option<U256> {
        None
    }

    fn max_initcode_size(&self) -> usize {
        crate::rules::MAX_INITCODE_SIZE
    }

    fn gas_params(&self) -> &GasParams {
        &self.gas_params
    }

    fn is_amsterdam_eip8037_enabled(&self) -> bool {
        false
    }

    fn block_hash(&mut self, _number: u64) -> Option<B256> {
        None
    }

    fn selfdestruct(
        &mut self,
        _address: Address,
        _target: Address,
        _skip_cold_load: bool,
    ) -> Result<StateLoad<SelfDestructResult>, LoadError> {
        Err(LoadError::DBError)
    }

    fn log(&mut self, log: revm_primitives::Log) {
        let (topics, data) = log.data.split();
        self.journal.log(Log { address: log.address, topics, data });
    }

    fn sstore_skip_cold_load(
        &mut self,
        _address: Address,
        _key: U256,
        _value: U256,
        _skip_cold_load: bool,
    ) -> Result<StateLoad<SStoreResult>, LoadError> {
        Err(LoadError::DBError)
    }

    fn sload_skip_cold_load(
        &mut self,
        _address: Address,
        _key: U256,
        _skip_cold_load: bool,
    ) -> Result<StateLoad<U256>, LoadError> {
        Err(LoadError::DBError)
    }

    fn tstore(&mut self, _address: Address, _key: U256, _value: U256) {}

    fn tload(&mut self, _address: Address, _key: U256) -> U256 {
        U256::ZERO
    }

    fn load_account_info_skip_cold_load(
        &mut self,
        _address: Address,
        _load_code: bool,
        _skip_cold_load: bool,
    ) -> Result<AccountInfoLoad<'_>, LoadError> {
        Err(LoadError::DBError)
    }
}
